// Loaded before anything else (`node --import`), and plain JavaScript, so that an older Node can read it too.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major !== 24 || minor < 11) {
  process.stderr.write(
    `Node ${process.versions.node} is running, and Tenantry needs Node 24.11 or a later 24: install it, or start with npm.\n`,
  );
  process.exit(1);
}
