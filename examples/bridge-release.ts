/**
 * Releases withdrawals on the external chain: it brings updates of the signing set and the signed root with proofs to the contract of the
 * bridge. Anybody may run it, for anybody's withdrawals: who calls pays, and the coins go to whom the withdrawal names.
 *
 *   node examples/bridge-release.ts 7 8
 *
 * with ETH_RPC_URL and PRIVATE_KEY of an account on the external chain, and REST_URL of a node of this one. A node that lies can name a
 * contract that wastes the account's ether: BRIDGE_CONTRACT names the right one, and nothing else is called then.
 */
import { readFileSync } from 'node:fs'
import { type Abi, createPublicClient, createWalletClient, type Hex, http, pad } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const { abi } = JSON.parse(readFileSync(new URL('../packages/bridge/nat-bridge.json', import.meta.url), 'utf8')) as {
  readonly abi: Abi
}

interface MemberSignature {
  readonly r: string
  readonly s: string
  readonly v: number
}
interface SigningSet {
  readonly nonce: string
  readonly members: readonly { readonly address: Hex; readonly power: string }[]
  readonly threshold: string
}
interface SetAnswer {
  readonly set: SigningSet
  readonly signatures: readonly MemberSignature[]
  readonly signed: boolean
}
interface Proof {
  readonly withdrawal: { readonly id: number; readonly recipient: Hex; readonly amount: string }
  readonly proof: readonly Hex[]
  readonly root: { readonly root: Hex; readonly signatures: readonly MemberSignature[] }
  readonly set: SigningSet
}

export interface Release {
  /** The URL of a node's native REST. */
  readonly restUrl: string
  /** The URL of the external chain's JSON-RPC. */
  readonly ethRpcUrl: string
  /** The key of the account that pays for the calls there. */
  readonly privateKey: Hex
  /** The contract, where the node is not believed about it. */
  readonly contract?: string | undefined
}

/** The time that a node has for an answer, in milliseconds. */
const ANSWER_MS = 30_000

/** Asks a node; undefined for what there is not, such as a proof of a withdrawal that is not signed yet. */
const ask = async <Answer>(restUrl: string, path: string): Promise<Answer | undefined> => {
  const response = await fetch(`${restUrl}/nat/bridge/v1/${path}`, { signal: AbortSignal.timeout(ANSWER_MS) })
  if (response.status === 404) return undefined
  if (!response.ok) throw new Error(`${path}: HTTP ${response.status}: ${await response.text()}`)
  return (await response.json()) as Answer
}

export const setArgument = ({ nonce, members, threshold }: SigningSet) => ({
  nonce: BigInt(nonce),
  validators: members.map(({ address }) => address),
  powers: members.map(({ power }) => BigInt(power)),
  threshold: BigInt(threshold),
})

const NONE = pad('0x', { size: 32 })
const signaturesArgument = (signatures: readonly MemberSignature[]) =>
  signatures.map(({ r, s, v }) => ({ r: v === 0 ? NONE : r, s: v === 0 ? NONE : s, v }))

/** Fetches the set of a nonce; 0 is the set that signs now. */
export const fetchSet = (restUrl: string, nonce: bigint | number): Promise<SetAnswer | undefined> =>
  ask<SetAnswer>(restUrl, `signing_sets/${nonce}`)

/** Makes a relayer for the contract that the chain bridges. */
export const createRelayer = async ({ restUrl, ethRpcUrl, privateKey, contract }: Release) => {
  const transport = http(ethRpcUrl)
  const client = createPublicClient({ transport, pollingInterval: 200 })
  const account = privateKeyToAccount(privateKey)
  const wallet = createWalletClient({ account, transport })
  const parameters = await ask<{ readonly params: { readonly contract: Hex } }>(restUrl, 'params')
  const address = parameters?.params.contract
  if (address === undefined || (address as string) === '') throw new Error('the chain bridges no contract')
  if (contract !== undefined && contract.toLowerCase() !== address.toLowerCase())
    throw new Error(`the node says that the chain bridges ${address}, and not ${contract}`)

  const read = <Answer>(functionName: string, args: readonly unknown[] = []): Promise<Answer> =>
    client.readContract({ address, abi, functionName, args }) as Promise<Answer>

  /** What the contract would refuse costs nothing. */
  const call = async (functionName: string, args: readonly unknown[]): Promise<Hex> => {
    const { request } = await client.simulateContract({ account, address, abi, functionName, args })
    const hash = await wallet.writeContract({ ...request, chain: null })
    const { status } = await client.waitForTransactionReceipt({ hash })
    if (status !== 'success') throw new Error(`${functionName} was reverted in ${hash}`)
    return hash
  }

  /** Brings the contract to the newest signed set, one after the other. Returns the nonces of the sets that it brought. */
  const updateSets = async (): Promise<readonly bigint[]> => {
    const updated: bigint[] = []
    for (;;) {
      const nonce = await read<bigint>('setNonce')
      const last = updated.at(-1)
      // Each turn costs ether.
      if (last !== undefined && nonce !== last) throw new Error(`${address} took set ${last}, and is at set ${nonce}`)
      const next = nonce === 0n ? undefined : await fetchSet(restUrl, nonce + 1n)
      const present = next?.signed === true ? await fetchSet(restUrl, nonce) : undefined
      if (next === undefined || present === undefined) return updated
      await call('updateSet', [setArgument(next.set), setArgument(present.set), signaturesArgument(next.signatures)])
      updated.push(nonce + 1n)
    }
  }

  /** Releases a withdrawal, and returns the hash of the transaction; undefined where the withdrawal is not signed yet by the set that the contract follows. */
  const release = async (id: number): Promise<Hex | undefined> => {
    await updateSets()
    const proof = await ask<Proof>(restUrl, `withdrawals/${id}/proof`)
    if (proof === undefined) return undefined
    const { withdrawal, root, set } = proof
    const isKnown = await read<boolean>('isAcceptedRoot', [root.root])
    if (!isKnown && (await read<bigint>('setNonce')) !== BigInt(set.nonce)) return undefined
    const leaf = { id: BigInt(id), recipient: withdrawal.recipient, amount: BigInt(withdrawal.amount) }
    // A root that the contract knows needs no signatures.
    const signatures = isKnown ? [] : signaturesArgument(root.signatures)
    return await call('withdraw', [root.root, setArgument(set), signatures, leaf, proof.proof])
  }

  return { address, read, updateSets, release, isReleased: (id: number) => read<boolean>('isReleased', [BigInt(id)]) }
}

const main = async (ids: readonly string[]): Promise<void> => {
  const { ETH_RPC_URL: ethRpcUrl, PRIVATE_KEY: privateKey, BRIDGE_CONTRACT: contract } = process.env
  const { REST_URL: restUrl = 'http://127.0.0.1:1317' } = process.env
  if (ethRpcUrl === undefined || privateKey === undefined || ids.some((id) => !/^[0-9]+$/.test(id))) {
    throw new Error(
      'usage: ETH_RPC_URL=... PRIVATE_KEY=0x... [REST_URL=...] [BRIDGE_CONTRACT=0x...] node examples/bridge-release.ts [id...]',
    )
  }
  const relayer = await createRelayer({ restUrl, ethRpcUrl, privateKey: privateKey as Hex, contract })
  for (const nonce of await relayer.updateSets()) console.log(`the contract follows set ${nonce}`)
  for (const id of ids.map(Number)) {
    if (await relayer.isReleased(id)) console.log(`withdrawal ${id} was released before`)
    else console.log(`withdrawal ${id}: ${(await relayer.release(id)) ?? 'not signed yet'}`)
  }
}

if (import.meta.main) await main(process.argv.slice(2))
