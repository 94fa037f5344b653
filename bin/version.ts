/** Name and version of this software. */
import packageJson from '../package.json' with { type: 'json' }

export const VERSION: string = packageJson.version
/** One line, as web3_clientVersion has it. */
export const CLIENT_VERSION = `nat-chain/v${VERSION}/${process.platform}-${process.arch}/node${process.versions.node}`
