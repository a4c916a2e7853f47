//! The client for Python, with the real Claude Agent SDK.

use crate::sdk_promises::kept_in;
use crate::sdk_scene::Language;

kept_in!(Language::Python);
