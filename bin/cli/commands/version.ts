/** `chain version`: what runs, in one line or as JSON. */
import { errorText } from '../../errors.ts'
import { COMETBFT_VERSION, findCometbft } from '../../node/supervise/cometbft-binary.ts'
import { CLIENT_VERSION, VERSION } from '../../version.ts'

export const describeVersion = async (long: boolean): Promise<string> => {
  if (!long) return VERSION
  const cometbft = await findCometbft().catch((error: unknown) => errorText(error))
  return JSON.stringify(
    { version: VERSION, client: CLIENT_VERSION, node: process.version, cometbft, wanted: COMETBFT_VERSION },
    null,
    2,
  )
}
