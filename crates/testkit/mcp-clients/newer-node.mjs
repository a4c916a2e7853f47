// The conformance suites are built for Node.js 22 and name one function that 20 does not have. None of
// what is run here calls it, so it is enough that it can be named.
import { register } from "node:module";

const inline = (code) => "data:text/javascript," + encodeURIComponent(code);

const fs = inline(`
  export * from "node:fs";
  import fs from "node:fs";
  export default fs;
  export const globSync = fs.globSync ?? (() => { throw new Error("this Node.js has no globSync"); });
`);

register(inline(`
  export async function resolve(specifier, context, next) {
    const wanted = specifier === "fs" && /conformance[^/]*\\/dist/.test(context.parentURL ?? "");
    return wanted ? { url: ${JSON.stringify(fs)}, shortCircuit: true } : next(specifier, context);
  }
`));
