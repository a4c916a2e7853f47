/** The version this page was built with. */
declare const __VERSION__: string;
