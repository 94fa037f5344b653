/** What of this process' environment its children get: what they read, and no secret. */

/** Where things are and how they are shown, the runtimes' own settings, and those of this node and CometBFT. */
const NEEDED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TZ|TERM|NO_COLOR|LANG|LC_\w+|XDG_\w+|LD_\w+|MALLOC_\w+|NODE_\w+|UV_\w+|SSL_CERT_\w+|GO[A-Z]+|CHAIN_\w+|CMT_\w+|CMTHOME|COMETBFT_\w+|DEVNET_\w+|FAIL_TEST_INDEX)$/
/** Whoever reads /proc/<pid>/environ of a child, or a dump of it, must not find them. The names of files may stay. */
const SECRET = /(?:PASSWORD|PASSPHRASE|MNEMONIC|SECRET|PRIVATE_?KEY|TOKEN)(?!\w*_FILE$)/

/** Settings and flags of this node: URLs among them have keys and passwords of endpoints, of Redis and of collectors in them. */
const SETTING = /^CHAIN_/

/** Without settings for a child that reads none. */
export const childEnvironment = (
  environment: Readonly<Record<string, string | undefined>> = process.env,
  hasSettings = true,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined &&
        NEEDED.test(entry[0]) &&
        !SECRET.test(entry[0]) &&
        (hasSettings || !SETTING.test(entry[0])),
    ),
  )
