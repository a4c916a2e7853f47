//! What the server answers, method by method.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, ErrorCode, ErrorData, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};

use crate::asker::Caller;
use crate::request::Arguments;
use crate::serving::Server;
use crate::tools;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let implementation =
            Implementation::new("handraise", self.version()).with_title("Handraise");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(implementation)
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::of(&Caller::of(&context).agent)))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let agent = if name == tools::ASK_PERSON { "gemini" } else { "" };
        tools::of(agent).into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let as_sent = context.extensions.get::<Arguments>().map(|arguments| arguments.0.clone());
        let arguments = match as_sent {
            Some(arguments) => arguments,
            None => serde_json::value::to_raw_value(&request.arguments.unwrap_or_default())
                .map_err(|error| ErrorData::internal_error(error.to_string(), None))?,
        };
        let result = self.call(&request.name, &arguments, context).await;
        let result =
            result.ok_or_else(|| ErrorData::invalid_params("there is no such tool", None))?;
        Ok(result.into())
    }

    /// What the SDK does not understand, for want of the method or of its parameters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // Whoever says with each request what it speaks has no handshake.
        let has_handshake = context.meta.protocol_version().is_none();
        let is_known = match request.method.as_str() {
            "initialize" => has_handshake,
            method => ["tools/call", "tools/list", "server/discover"].contains(&method),
        };
        Err(if is_known {
            ErrorData::invalid_params("the parameters of this method do not fit", None)
        } else {
            no_such_method()
        })
    }

    // The SDK answers these with empty lists. There are none here, and none is declared.

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(no_such_method())
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(no_such_method())
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(no_such_method())
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(no_such_method())
    }
}

fn no_such_method() -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "there is no such method", None)
}
