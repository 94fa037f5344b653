/** Module values by key with proofs: `/store/{module}/key` of abci_query. The proofs are described in docs/proofs.md. */
import { moduleAddress } from '../core/address.ts'
import { EMPTY_BYTES } from '../core/bytes.ts'
import { CodedError } from '../core/errors.ts'
import { keccak256 } from '../core/hash.ts'
import { encodeRlp } from '../core/rlp.ts'
import { sdkError, SDK_CODES } from '../modules/sdk-errors.ts'
import { StateTrie } from '../store/state-trie.ts'
import { encodeHeader } from '../app/records/header.ts'
import type { AbciQueryResponse } from '../app/ports.ts'
import { futureHeight, keptHeight } from './native.ts'
import { requireHeader, type ChainView } from './chain-view.ts'

const STORE_PATH = /^\/store\/([a-z_]{1,64})\/key$/
/** Type of the proof operation: nodes of Ethereum's Merkle Patricia tries below an Ethereum header. */
export const PROOF_TYPE = 'eth:mpt'
/** Longest key that is looked for: modules have no longer ones. */
const MAX_KEY_BYTES = 1024

/** The module that a path of abci_query names; undefined for other paths. */
export const storeModule = (path: string): string | undefined => STORE_PATH.exec(path)?.[1]

export interface StoreQuery {
  readonly module: string
  readonly key: Uint8Array
  /** 0 is the head. */
  readonly height: number
  readonly prove: boolean
}

/** RLP [header, [account nodes], [storage nodes]], every item of it RLP in a string. A module without values has no account, and that is proven. */
const proveValue = (view: ChainView, module: string, key: Uint8Array, height: number): Uint8Array => {
  const { header } = requireHeader(view, height)
  const trie = new StateTrie(view.trieNodesAt(height), header.stateRoot)
  const address = moduleAddress(module)
  const { account, nodes } = trie.proveAccount(address)
  const slotNodes = account === undefined ? [] : trie.proveSlot(address, account.storageRoot, keccak256(key)).nodes
  return encodeRlp([encodeHeader(header), nodes, slotNodes])
}

/** Throws codes of the SDK. An absent value is empty. */
export const answerStoreQuery = (view: ChainView, { module, key, height, prove }: StoreQuery): AbciQueryResponse => {
  if (!view.modules.some(({ name }) => name === module)) {
    throw sdkError('unknownRequest', `no such store: ${module}`)
  }
  if (key.length === 0 || key.length > MAX_KEY_BYTES) {
    throw new CodedError('sdk', SDK_CODES.invalidRequest, `a key has 1 to ${MAX_KEY_BYTES} bytes, not ${key.length}`)
  }
  if (height > view.head) {
    throw futureHeight()
  }
  const at = keptHeight(view, height)
  const value = view.stateAt(at).value(moduleAddress(module), key) ?? EMPTY_BYTES
  const proofOps = prove ? [{ type: PROOF_TYPE, key, data: proveValue(view, module, key, at) }] : []
  return { code: 0, codespace: '', log: '', key, value, height: at, proofOps }
}
