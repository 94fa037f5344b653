/** The contract of the external side on anvil, with what core says that validators sign. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Abi, type Hex, hashTypedData, keccak256, parseEther, stringToHex, toHex } from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveDaemon } from '../../bin/node/bridge/serve-daemon.ts'
import { createLog } from '../../bin/node/runtime/log.ts'
import {
  rootDigest,
  setDigest,
  type SigningSet,
  type Withdrawal,
  withdrawalDomainHash,
  withdrawalLeaf,
} from '../../core/bridge-withdrawal.ts'
import { hexToBytes } from '../../core/hex.ts'
import { appendedNodes, treeProof, treeRoot } from '../../core/withdrawal-tree.ts'
import { COMPILED_PATH, compileBridge } from '../../scripts/bridge-contract.ts'
import { type Anvil, anvilAccount, hasAnvil, startAnvil } from './contracts/anvil.ts'
import { repository, until } from './harness.ts'

const { abi, bytecode } = JSON.parse(readFileSync(COMPILED_PATH, 'utf8')) as { abi: Abi; bytecode: Hex }
const NATIVE = 'localnat-1'
const DAY = 86_400
const LIMIT = parseEther('5')
const RECIPIENT = `0x${'ee'.repeat(20)}` as const
const hex = (bytes: Uint8Array): Hex => toHex(bytes)

interface Signer {
  readonly key: Hex
  readonly address: Hex
  readonly power: bigint
}
/** Makes signers with keys that no one else has, by ascending address. */
const signers = (from: number, ...powers: readonly bigint[]): readonly Signer[] =>
  powers
    .map((power, index) => {
      const key = keccak256(toHex(from + index))
      return { key, address: privateKeyToAccount(key).address, power }
    })
    .sort((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1))

const setOf = (nonce: bigint, members: readonly Signer[], threshold?: bigint): SigningSet => ({
  nonce,
  members: members.map(({ address, power }) => ({ address: hexToBytes(address.toLowerCase()), power })),
  threshold: threshold ?? (members.reduce((sum, { power }) => sum + power, 0n) * 2n) / 3n,
})
const setArgument = ({ nonce, members, threshold }: SigningSet) => ({
  nonce,
  validators: members.map(({ address }) => hex(address)),
  powers: members.map(({ power }) => power),
  threshold,
})

const ABSENT = { r: `0x${'00'.repeat(32)}`, s: `0x${'00'.repeat(32)}`, v: 0 } as const
const signAll = (digest: Uint8Array, members: readonly Signer[], signs: (index: number) => boolean = () => true) =>
  Promise.all(
    members.map(async ({ key }, index) => {
      if (!signs(index)) return ABSENT
      const { r, s, v } = await sign({ hash: hex(digest), privateKey: key })
      return { r, s, v: Number(v) }
    }),
  )

/** A tree as the state of a node would keep it. */
const treeOf = (leaves: readonly Uint8Array[]) => {
  const stored = new Map<string, Uint8Array>()
  const nodes = (level: number, index: number): Uint8Array => {
    const node = stored.get(`${level}/${index}`)
    if (node === undefined) throw new TypeError(`node ${index} of level ${level} is not complete`)
    return node
  }
  for (const [size, leaf] of leaves.entries()) {
    for (const { level, index, node } of appendedNodes(size, leaf, nodes)) stored.set(`${level}/${index}`, node)
  }
  return {
    root: (size = leaves.length) => treeRoot(size, nodes),
    proof: (index: number, size = leaves.length) => treeProof(index, size, nodes).map(hex),
  }
}

it('is committed as the pinned compiler makes it', () => {
  expect(compileBridge()).toBe(readFileSync(COMPILED_PATH, 'utf8'))
})

describe.runIf(hasAnvil)('the contract', () => {
  let anvil: Anvil
  let address: Hex
  let domain: Uint8Array
  const governor = anvilAccount(1)
  const members = signers(1, 40n, 30n, 20n, 10n)
  const first = setOf(1n, members)
  const withdrawals = Array.from(
    { length: 13 },
    (_, id): Withdrawal => ({
      id,
      recipient: hexToBytes(RECIPIENT),
      amount: id === 12 ? LIMIT : parseEther('1') + BigInt(id),
    }),
  )

  const write = async (functionName: string, args: readonly unknown[], options: object = {}) => {
    const { request } = await anvil.client.simulateContract({ address, abi, functionName, args, ...options })
    return anvil.client.waitForTransactionReceipt({ hash: await anvil.client.writeContract(request) })
  }
  const refusal = async (functionName: string, args: readonly unknown[], options: object = {}): Promise<string> => {
    try {
      await anvil.client.simulateContract({ address, abi, functionName, args, ...options })
    } catch (error) {
      return /Error: (\w+)\(/.exec((error as Error).message)?.[1] ?? (error as Error).message
    }
    return 'nothing was refused'
  }
  const read = (functionName: string, args: readonly unknown[] = []) =>
    anvil.client.readContract({ address, abi, functionName, args })
  const leafArgument = ({ id, recipient, amount }: Withdrawal) => ({
    id: BigInt(id),
    recipient: hex(recipient),
    amount,
  })
  const tree = () => treeOf(withdrawals.map((withdrawal) => withdrawalLeaf(domain, withdrawal)))
  const byGovernor = { account: governor }

  beforeAll(async () => {
    anvil = await startAnvil()
    const hash = await anvil.client.deployContract({ abi, bytecode, args: [NATIVE, governor.address, LIMIT] })
    const receipt = await anvil.client.waitForTransactionReceipt({ hash })
    address = receipt.contractAddress ?? '0x'
    domain = withdrawalDomainHash({ chainId: 31_337n, address: hexToBytes(address), nativeChainId: NATIVE })
    console.log(`deployed with ${receipt.gasUsed} gas`)
  })
  afterAll(() => anvil?.close())

  it('reads what core says that is signed, and viem agrees', async () => {
    expect(await read('domainSeparator')).toBe(hex(domain))
    const typed = {
      domain: {
        name: 'NAT bridge',
        version: '1',
        chainId: 31_337,
        verifyingContract: address,
        salt: keccak256(stringToHex(NATIVE)),
      },
      types: {
        WithdrawalsRoot: [{ name: 'root', type: 'bytes32' }],
        Withdrawal: [
          { name: 'id', type: 'uint256' },
          { name: 'recipient', type: 'address' },
          { name: 'amount', type: 'uint256' },
        ],
        ValidatorSet: [
          { name: 'nonce', type: 'uint256' },
          { name: 'validators', type: 'address[]' },
          { name: 'powers', type: 'uint256[]' },
          { name: 'threshold', type: 'uint256' },
        ],
      },
    } as const
    const root = tree().root()
    const withdrawal = withdrawals[0] as Withdrawal
    const leaf = { ...typed, primaryType: 'Withdrawal', message: leafArgument(withdrawal) } as const
    expect(hex(rootDigest(domain, root))).toBe(
      hashTypedData({ ...typed, primaryType: 'WithdrawalsRoot', message: { root: hex(root) } }),
    )
    expect(hex(setDigest(domain, first))).toBe(
      hashTypedData({ ...typed, primaryType: 'ValidatorSet', message: setArgument(first) }),
    )
    expect(hex(withdrawalLeaf(domain, withdrawal))).toBe(hashTypedData(leaf))
    expect(await read('leafHash', [leafArgument(withdrawal)])).toBe(hashTypedData(leaf))
  })

  it('proves every withdrawal of every size of the tree', async () => {
    for (let size = 1; size <= withdrawals.length; size++) {
      const root = hex(tree().root(size))
      for (const withdrawal of withdrawals.slice(0, size)) {
        const proof = tree().proof(withdrawal.id, size)
        expect(await read('rootOf', [leafArgument(withdrawal), proof])).toBe(root)
      }
    }
  })

  it('logs deposits by ascending id, and refuses what the chain would refuse', async () => {
    const account = `0x${'aa'.repeat(20)}`
    for (const id of [0n, 1n, 2n]) {
      const receipt = await write('deposit', [account, '0x0102'], { value: parseEther('20') })
      const [log] = await anvil.client.getContractEvents({ address, abi, blockHash: receipt.blockHash })
      expect(log).toMatchObject({
        eventName: 'Bridge',
        args: { id, amount: parseEther('20'), from: anvilAccount(0).address, accAddress: account, data: '0x0102' },
      })
    }
    expect(await refusal('deposit', [`0x${'aa'.repeat(19)}`, '0x'], { value: 1n })).toBe('BadDeposit')
    expect(await refusal('deposit', [account, '0x'], { value: 0n })).toBe('BadDeposit')
    expect(await refusal('deposit', [account, `0x${'00'.repeat(1_025)}`], { value: 1n })).toBe('BadDeposit')
  })

  it('takes no deposit below the least one, which its governor sets', async () => {
    const deposit = [`0x${'aa'.repeat(20)}`, '0x'] as const
    const least = parseEther('0.01')
    expect([await read('minDeposit'), await refusal('deposit', deposit, { value: 1n })]).toEqual([
      0n,
      'nothing was refused',
    ])
    expect(await refusal('setMinDeposit', [least])).toBe('NotGovernor')
    expect(await refusal('setMinDeposit', [(1n << 128n) + 1n], byGovernor)).toBe('BadDeposit')
    await write('setMinDeposit', [least], byGovernor)
    expect(await read('minDeposit')).toBe(least)
    expect(await refusal('deposit', deposit, { value: least - 1n })).toBe('BadDeposit')
    expect(await refusal('deposit', deposit, { value: least })).toBe('nothing was refused')
    await write('setMinDeposit', [0n], byGovernor)
  })

  it('is read by a daemon as it logs', async () => {
    // anvil finalizes what is two epochs old.
    await anvil.client.mine({ blocks: 100 })
    const folder = mkdtempSync(join(tmpdir(), 'nat-bridge-'))
    const path = join(folder, 'reader.sock')
    const server = await serveDaemon({
      path,
      endpoints: [anvil.url],
      maxUnhealthySeconds: undefined,
      log: createLog({ write: () => undefined }),
      onUnhealthy: () => undefined,
    })
    const main = join(repository, 'daemons', 'bridge', 'main.ts')
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, path], { stdio: 'ignore' })
    try {
      const contract = { chainId: 31_337n, address: hexToBytes(address) }
      server.follow(contract, 0)
      const events = await until('three deposits', () => {
        const known = server.events(contract, 0, 10)
        return known.length === 3 ? known : undefined
      })
      expect(events).toMatchObject(
        [0, 1, 2].map((id) => ({
          id,
          amount: parseEther('20'),
          from: hexToBytes(anvilAccount(0).address.toLowerCase()),
          recipient: new Uint8Array(20).fill(0xaa),
          dataHash: hexToBytes(keccak256('0x0102')),
        })),
      )
    } finally {
      child.kill('SIGKILL')
      await server.close()
      rmSync(folder, { recursive: true })
    }
  })

  it('takes its first set from the governor, once, and none that could not sign', async () => {
    const bad = [
      { ...setArgument(first), validators: [...setArgument(first).validators].reverse() },
      { ...setArgument(first), threshold: 100n },
      { ...setArgument(first), threshold: 65n },
      { ...setArgument(first), powers: [1n] },
    ]
    for (const set of bad) expect(await refusal('initializeSet', [set], byGovernor)).toBe('BadSet')
    expect(await refusal('initializeSet', [setArgument(first)])).toBe('NotGovernor')
    await write('initializeSet', [setArgument(first)], byGovernor)
    expect(await refusal('initializeSet', [setArgument(first)], byGovernor)).toBe('AlreadyInitialized')
  })

  it('releases what more than two thirds signed, once, whoever calls', async () => {
    const root = tree().root()
    const call = (signatures: unknown, id: number, of = first) =>
      [hex(root), setArgument(of), signatures, leafArgument(withdrawals[id] as Withdrawal), tree().proof(id)] as const
    const digest = rootDigest(domain, root)
    // 66 of 100 is no more than two thirds, 67 would be: each single one of the four has at least ten.
    const power = (signs: (index: number) => boolean): bigint =>
      members.reduce((sum, member, index) => sum + (signs(index) ? member.power : 0n), 0n)
    for (let mask = 0; mask < 16; mask++) {
      const signs = (index: number): boolean => ((mask >> index) & 1) === 1
      const said = await refusal('withdraw', call(await signAll(digest, members, signs), 0))
      expect(said).toBe(power(signs) > first.threshold ? 'nothing was refused' : 'TooLittlePower')
    }
    const signatures = await signAll(digest, members)
    const strangers = await signAll(digest, signers(50, 40n, 30n, 20n, 10n))
    expect(await refusal('withdraw', call(strangers, 0))).toBe('BadSignature')
    expect(await refusal('withdraw', call(await signAll(tree().root(), members), 0))).toBe('BadSignature')
    // The other form of a signature.
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const high = signatures.map(({ r, s, v }) => ({ r, s: toHex(order - BigInt(s), { size: 32 }), v: 55 - v }))
    expect(await refusal('withdraw', call(high, 0))).toBe('BadSignature')
    expect(await refusal('withdraw', call(signatures, 0, { ...first, threshold: 70n }))).toBe('WrongSet')
    expect(await refusal('withdraw', call(signatures.slice(1), 0))).toBe('BadSet')
    expect(await refusal('withdraw', call([], 0))).toBe('UnknownRoot')
    const [, set, , leaf, proof] = call(signatures, 0)
    expect(await refusal('withdraw', [hex(root), set, signatures, { ...leaf, amount: 7n }, proof])).toBe('BadProof')
    expect(await refusal('withdraw', [hex(root), set, signatures, { ...leaf, id: 2n ** 32n }, proof])).toBe('BadProof')

    const { gasUsed } = await write('withdraw', call(signatures, 0), { account: anvilAccount(5) })
    expect(await anvil.client.getBalance({ address: RECIPIENT })).toBe(parseEther('1'))
    expect(await refusal('withdraw', call(signatures, 0))).toBe('AlreadyReleased')
    // The root is known now: nobody needs to sign again.
    const { gasUsed: again } = await write('withdraw', call([], 1))
    expect(await anvil.client.getBalance({ address: RECIPIENT })).toBe(parseEther('2') + 1n)
    console.log(`released with ${gasUsed} gas and four signatures, then with ${again} gas`)
  })

  it('follows the set by what the one before signed', async () => {
    const nextMembers = signers(20, 60n, 60n, 60n)
    // A quarter of the power has no key: more than two thirds of all must sign.
    const next = setOf(2n, nextMembers, 160n)
    const digest = setDigest(domain, next)
    const signatures = await signAll(digest, members)
    const update = (of: SigningSet, by: SigningSet, signed: unknown) => [setArgument(of), setArgument(by), signed]
    expect(await refusal('updateSet', update({ ...next, nonce: 3n }, first, signatures))).toBe('WrongNonce')
    expect(await refusal('updateSet', update({ ...next, threshold: 150n }, first, signatures))).toBe('BadSignature')
    const few = await signAll(digest, members, (index) => (members[index]?.power ?? 0n) <= 30n)
    expect(await refusal('updateSet', update(next, first, few))).toBe('TooLittlePower')
    await write('updateSet', update(next, first, signatures))
    expect(await read('setNonce')).toBe(2n)
    // The old set signs nothing any more, and an update is no root.
    expect(await refusal('updateSet', update({ ...next, nonce: 2n }, first, signatures))).toBe('WrongSet')
    const later = treeOf(withdrawals.slice(0, 3).map((withdrawal) => withdrawalLeaf(domain, withdrawal))).root()
    const leaf = leafArgument(withdrawals[2] as Withdrawal)
    const signed = (by: readonly Signer[]) => signAll(rootDigest(domain, later), by)
    const call = (by: SigningSet, with_: unknown) => [hex(later), setArgument(by), with_, leaf, tree().proof(2, 3)]
    expect(await refusal('withdraw', call(first, await signed(members)))).toBe('WrongSet')
    await write('withdraw', call(next, await signed(nextMembers)))
    expect(await anvil.client.getBalance({ address: RECIPIENT })).toBe(parseEther('3') + 3n)
  })

  it('releases no more on a day than its limit, and goes on on the next', async () => {
    const root = hex(tree().root())
    const call = (id: number) => [
      root,
      setArgument(first),
      [],
      leafArgument(withdrawals[id] as Withdrawal),
      tree().proof(id),
    ]
    await write('withdraw', call(3))
    expect(await refusal('withdraw', call(12))).toBe('BeyondDailyLimit')
    await anvil.client.increaseTime({ seconds: DAY })
    await anvil.client.mine({ blocks: 1 })
    await write('withdraw', call(12))
    expect(await refusal('withdraw', call(4))).toBe('BeyondDailyLimit')
    await write('setDailyLimit', [LIMIT * 2n], byGovernor)
    await write('withdraw', call(4))
  })

  it('is paused, and handed over, by its governor alone', async () => {
    expect(await refusal('setPaused', [true])).toBe('NotGovernor')
    expect(await refusal('setDailyLimit', [1n])).toBe('NotGovernor')
    await write('setPaused', [true], byGovernor)
    expect(await refusal('deposit', [RECIPIENT, '0x'], { value: 1n })).toBe('IsPaused')
    const leaf = leafArgument(withdrawals[5] as Withdrawal)
    const args = [hex(tree().root()), setArgument(first), [], leaf, tree().proof(5)]
    expect(await refusal('withdraw', args)).toBe('IsPaused')
    await write('proposeGovernor', [anvilAccount(2).address], byGovernor)
    expect(await refusal('acceptGovernor', [])).toBe('NotGovernor')
    await write('acceptGovernor', [], { account: anvilAccount(2) })
    expect(await refusal('setPaused', [false], byGovernor)).toBe('NotGovernor')
    await write('setPaused', [false], { account: anvilAccount(2) })
    await write('withdraw', args)
  })
})
