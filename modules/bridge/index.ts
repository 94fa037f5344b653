/** Deposits of an external Ethereum chain, attested by validators, and the way back. See README.md. */
export { bridgeModule } from './module.ts'
export {
  type Follow,
  isCanonicalBridgeSection,
  MAX_ATTESTATIONS,
  MAX_CONTENTS,
  MAX_SIGNATURES,
  readFollow,
  readSayable,
  type Sayable,
} from './section.ts'
export { readUnsigned, type Unsigned } from './sign.ts'
