import { defineMethod, optionalParameter, required } from '../method.ts'
import { rpcError } from '../errors.ts'
import { decodeBlockReference, LATEST, requireBlock } from '../parameters/block.ts'
import { decodeSimulatedBlocks, toSimulatedBlocks } from '../parameters/simulated-blocks.ts'

export const simulateV1 = defineMethod({
  name: 'eth_simulateV1',
  cost: 100,
  parameters: [required(decodeSimulatedBlocks), optionalParameter(decodeBlockReference)],
  answer: ({ askText }, read, reference = LATEST) => {
    const simulated = toSimulatedBlocks(read)
    if (simulated.blocks.length === 0) throw rpcError('invalidParameters', 'empty input')
    return askText('simulate', { ...simulated, block: requireBlock(reference) })
  },
})
