/** The parameters that eth_call and eth_estimateGas have in common. */
import type { BlockReference, Questions } from '../../app/ports.ts'
import { optionalParameter, required } from '../method.ts'
import { decodeBlockReference, LATEST, requireBlock } from './block.ts'
import { decodeCall, toCallRequest, type CallArguments } from './call.ts'
import {
  decodeBlockOverrides,
  decodeStateOverrides,
  toBlockOverrides,
  toStateOverrides,
  type BlockOverridesRead,
  type StateOverridesRead,
} from './overrides.ts'

export const callParameters = [
  required(decodeCall),
  optionalParameter(decodeBlockReference),
  optionalParameter(decodeStateOverrides),
  optionalParameter(decodeBlockOverrides),
] as const

/** Throws rpc/failed for what geth refuses once all parameters have been read. */
export const readCall = (
  call: CallArguments,
  block: BlockReference | undefined,
  stateOverrides: StateOverridesRead | undefined,
  blockOverrides: BlockOverridesRead | undefined,
): Questions['call'] => ({
  block: requireBlock(block ?? LATEST),
  ...(stateOverrides === undefined ? {} : { stateOverrides: toStateOverrides(stateOverrides) }),
  ...(blockOverrides === undefined ? {} : { blockOverrides: toBlockOverrides(blockOverrides) }),
  call: toCallRequest(call),
})
