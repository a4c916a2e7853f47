/** How the system's own browser is started; without the flags for the network it calls its maker. */
export default {
  executablePath: process.env.HANDRAISE_CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};
