/** The key files that CometBFT wrote into a home. */
import * as z from 'zod'
import { cliError, errorText } from '../../errors.ts'
import { readSecretJson } from '../secret-json.ts'

const validatorKey = z.object({
  address: z.string(),
  pub_key: z.object({ type: z.literal('tendermint/PubKeyEd25519'), value: z.string() }),
})

/** The public key in base64. Throws cli/5. */
export const readValidatorPublicKey = (path: string): string => {
  try {
    return validatorKey.parse(readSecretJson(path)).pub_key.value
  } catch (error) {
    throw cliError('genesis', `${path} holds no ed25519 validator key: ${errorText(error)}`)
  }
}
