//! Other systems' wire forms of the same exchange: a question comes in as they ask it, and the answer
//! goes back as they take it. No processes and no sockets here.

pub mod overseer;
