/** Why nothing can be sent while the hub cannot be reached. */
export const SILENT = "Offline: your draft is kept, and can be sent when the hub is back.";
