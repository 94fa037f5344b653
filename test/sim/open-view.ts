/** What a question sees of a node, for tests that ask the functions behind it. */
import { createFamilies } from '../../app/families/index.ts'
import { createModules } from '../../app/genesis/modules.ts'
import { ChainReader, readChainParameters } from '../../app/index/chain-reader.ts'
import type { ChainView } from '../../query/chain-view.ts'
import { APPLICATION_DEFAULTS } from '../../app/settings.ts'
import { invariant } from '../../core/errors.ts'
import { createInterpreterEngine } from '../../evm/interpreter/create-engine.ts'
import { OpenHeights } from '../../store/open-heights.ts'
import type { SimNode } from './sim-node.ts'

export const openView = async ({ store, application }: SimNode): Promise<ChainView & { close(): void }> => {
  const parameters = readChainParameters(store)
  invariant(parameters !== undefined, 'the chain has begun')
  const { height: head } = application
  const heights = new OpenHeights(store, () => head, 2)
  const modules = createModules(store)
  return {
    reader: new ChainReader(store),
    parameters,
    settings: APPLICATION_DEFAULTS,
    engine: await createInterpreterEngine(),
    clock: { nowMs: () => 0 },
    modules,
    families: createFamilies(modules),
    head,
    stateAt: (height) => heights.stateAt(height),
    trieNodesAt: (height) => heights.trieNodesAt(height),
    pending: [],
    interrupt: () => undefined,
    close: () => heights.close(),
  }
}
