/** The keys with which validators sign for the bridge. */
import { bridgeKeyDigest, recoverBridgeSigner } from '../../core/bridge-signature.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { equalBytes } from '../../core/bytes.ts'
import type { MessageContext } from '../module.ts'
import type { StakingHooks } from '../stake.ts'
import type { BridgeDependencies } from './deps.ts'
import { bridgeError } from './errors.ts'
import { keyRegistered } from './events.ts'
import { readKeyOwner, writeBridgeKey } from './keeper/index.ts'
import type { KeyRequest } from './wire.ts'

/** It pays for the recovery of a signature and two values. */
const KEY_GAS = 25_000n

/** Registers a key of the bridge for the validator of the operator. Throws bridge/17 to 19. */
export const registerKey = (context: MessageContext, request: KeyRequest, { stake }: BridgeDependencies): void => {
  context.consumeGas(KEY_GAS, 'a key of the bridge')
  const { state, chainId, emit } = context
  const { operator, address, signature } = request
  const signer = recoverBridgeSigner(bridgeKeyDigest(chainId, encodeBech32(operator)), signature)
  if (signer === undefined || !equalBytes(signer, address)) {
    throw bridgeError('key', 'the signature is not that of the key over the chain id and the operator')
  }
  const validator = stake.validator(state, operator)?.consensusAddress
  if (validator === undefined) throw bridgeError('noValidator')
  const owner = readKeyOwner(state, address)
  // A set that names an address twice is none that the contract takes.
  if (owner !== undefined && !equalBytes(owner, validator)) throw bridgeError('keyTaken')
  writeBridgeKey(state, validator, address)
  emit(keyRegistered(validator, address))
}

/** The key of a validator that is gone goes with it. Sets that name it stay as they are. */
export const keyHooks: StakingHooks = {
  afterValidatorRemoved: ({ state }, consensusAddress) => writeBridgeKey(state, consensusAddress, undefined),
}
