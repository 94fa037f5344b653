/** The files of a home that hold keys, and what CometBFT has signed last: what it does with damaged ones says little. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { cliError, errorText } from '../../errors.ts'
import { readBridgeKeys } from '../bridge/bridge-keys.ts'
import { readValidatorPublicKey } from '../genesis/validator-keys.ts'
import type { CometFile } from './comet-toml.ts'
import type { Home } from './home.ts'
import { readNodeId } from './peers.ts'

/** What is wrong with a file, and what to do. */
export interface FileFault {
  readonly detail: string
  readonly action: string
}

const signedLast = z.object({ height: z.string().regex(/^\d+$/), round: z.int(), step: z.int() })

const faultOf = (action: string, read: () => void): readonly FileFault[] => {
  try {
    read()
    return []
  } catch (error) {
    return [{ detail: errorText(error), action }]
  }
}

const readSignedLast = (path: string): void => {
  if (!existsSync(path)) throw cliError('homeMissing', `${path} is missing`)
  try {
    signedLast.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    throw cliError('homeMissing', `${path} does not say what this validator has signed last`)
  }
}

const RESTORE = 'restore the copy of it'
const NODE_KEY_ACTION =
  'restore the copy of it, or delete it and run "cometbft init" with this home, which makes a new one: peers then know this node by another id'
const SIGNED_LAST_ACTION =
  'restore the newest copy, never an older one: it keeps the validator from signing twice. Where this node has never been a validator, ' +
  'write {"height":"0","round":0,"step":0}'

/** Says what is wrong; nothing of files that CometBFT does not use, because another program signs or they lie elsewhere. */
export const signingFaults = (home: Home, { signsHere }: Pick<CometFile, 'signsHere'>): readonly FileFault[] => {
  const hasBlocks = existsSync(join(home.data, 'blockstore.db'))
  return [
    ...(signsHere ? faultOf(RESTORE, () => readValidatorPublicKey(home.validatorKey)) : []),
    ...faultOf(NODE_KEY_ACTION, () => readNodeId(home.nodeKey)),
    ...faultOf(RESTORE, () => readBridgeKeys(home)),
    ...(signsHere && hasBlocks ? faultOf(SIGNED_LAST_ACTION, () => readSignedLast(home.validatorState)) : []),
  ]
}

/** Throws cli/2 with the first fault and what to do. */
export const requireSigningFiles = (home: Home, comet: Pick<CometFile, 'signsHere'>): void => {
  for (const { detail, action } of signingFaults(home, comet)) throw cliError('homeMissing', `${detail}. ${action}`)
}
