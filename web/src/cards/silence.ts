/** Why nothing can be sent while the hub cannot be reached. */
export const SILENT = "Not while the hub cannot be reached. It is kept.";
