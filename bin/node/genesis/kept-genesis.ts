/** CometBFT keeps the genesis document of its first start, and reads the file no more: a corrected one would be passed over. */
import type { InitChainRequest } from '../../../app/ports.ts'
import { bytesToUtf8 } from '../../../core/bytes.ts'
import { parseTime } from '../../../core/time.ts'
import { cliError } from '../../errors.ts'
import type { Home } from '../config/home.ts'
import { type GenesisDocument, readGenesisJson } from './document.ts'

/** The text of JSON without blanks, in which CometBFT hands app_state on. */
const compact = (value: unknown): string => JSON.stringify(value)

/** Throws cli/5, with what to do, where InitChain brings another app_state or time than the genesis file of the home has. */
export const requireGenesisOf = (
  { genesis, root }: Pick<Home, 'genesis' | 'root'>,
  request: InitChainRequest,
): void => {
  const { app_state: appState, genesis_time: time } = readGenesisJson(genesis) as GenesisDocument
  const isSame =
    parseTime(time) === request.timeNs && compact(appState) === compact(JSON.parse(bytesToUtf8(request.appState)))
  if (isSame) return
  throw cliError(
    'genesis',
    `${genesis} is not the genesis that CometBFT has kept of its first start. It holds no block yet: run "cometbft reset-state --home ${root}" and start again`,
  )
}
