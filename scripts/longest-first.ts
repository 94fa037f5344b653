/** The order of test files: those that take longest begin, so that no worker is left with one of them at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The longest files as recorded on two busy cores: half a minute and more. Others begin by size, the greatest first.
 */
const LONGEST = [
  'test/e2e/docs-commands',
  'test/e2e/state-sync',
  'test/e2e/native-parity',
  'test/e2e/geth-parity',
  'test/hostile/ports',
  'test/e2e/cli',
  'test/e2e/faulty',
  'test/hostile/native-fuzz',
  'test/e2e/grpc',
  'test/e2e/kills',
  'test/e2e/bad-input',
  'test/hostile/crash',
  'test/e2e/stake',
  'test/e2e/validators',
  'test/e2e/snapshot-archive',
  'bin/node/node',
  'test/sim/determinism',
  'test/sim/native-operations',
  'test/sim/network',
  'test/hostile/weight',
  'test/sim/agreement',
  'evm/interpreter/attacks',
  'test/e2e/restart',
  'test/e2e/pruning',
  'app/snapshots',
  'test/e2e/crash',
].map((name) => `/${name}.test.ts`)

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(name))
  return place === -1 ? LONGEST.length : place
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}
