import { defineMethod, optionalParameter, required } from '../method.ts'
import { rpcError } from '../errors.ts'
import { decodeBlockReference, LATEST, requireBlock } from '../parameters/block.ts'
import { decodeSimulation, toSimulation } from '../parameters/simulated-blocks.ts'

export const simulateV1 = defineMethod({
  name: 'eth_simulateV1',
  cost: 100,
  parameters: [required(decodeSimulation), optionalParameter(decodeBlockReference)],
  answer: ({ ask }, read, reference = LATEST) => {
    const simulation = toSimulation(read)
    if (simulation.blocks.length === 0) throw rpcError('invalidParameters', 'empty input')
    return ask('simulate', { ...simulation, block: requireBlock(reference) })
  },
})
