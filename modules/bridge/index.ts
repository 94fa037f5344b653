/** Deposits of an external Ethereum chain, attested by validators. See README.md. */
export { bridgeModule } from './module.ts'
export {
  type Follow,
  isCanonicalBridgeSection,
  MAX_ATTESTATIONS,
  MAX_CONTENTS,
  readFollow,
  readSayable,
  type Sayable,
} from './section.ts'
