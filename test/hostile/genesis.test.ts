/** Files that no chain may begin with. */
import { expect, it } from 'vitest'
import { openLone } from './lone-application.ts'

const begin = (maxBytes: number) =>
  openLone({
    genesis: {
      consensusParameters: {
        block: { maxBytes, maxGas: 1_000_000_000 },
        evidence: { maxAgeNumBlocks: 1, maxAgeDurationNs: 1n, maxBytes: 1_048_576 },
        validator: { pubKeyTypes: ['ed25519'] },
        version: { app: 1 },
        abci: { voteExtensionsEnableHeight: 1 },
      },
    },
  })

it('refuses blocks without room for votes beside evidence, as "chain genesis validate" does', async () => {
  await expect(begin(4_530_834)).rejects.toThrow(
    'block.max_bytes must be at least 4530835 with 1048576 bytes of evidence and 100 validators, not 4530834',
  )
  await expect(begin(4_530_835)).resolves.toBeDefined()
})
