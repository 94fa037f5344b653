/** Seeded sequences of everything that moves tokens and coins, against a model of two tables; hostile tokens among honest ones. */
import { encodeFunctionData } from 'viem'
import { expect, it } from 'vitest'
import { type Address, checksumAddress, parseAddress } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { bytesToKey } from '../../core/bytes.ts'
import { bytesToHex } from '../../core/hex.ts'
import { createInterpreterEngine } from '../../evm/interpreter/create-engine.ts'
import { denomOf, ERC20_ADDRESS } from '../../modules/erc20/index.ts'
import { converterAbi, PRECOMPILE_ADDRESSES } from '../../packages/precompiles/index.ts'
import { bankTx } from '../../proto/index.ts'
import { ALICE, BOB, FIRST } from '../precompiles/world.ts'
import { type Random, seeded } from '../sim/random.ts'
import { TokenWorld } from './world.ts'

const engine = await createInterpreterEngine()
const CONVERTER = parseAddress(PRECOMPILE_ADDRESSES.erc20)
const PEOPLE = [ALICE, BOB, FIRST]
const MILLION = 1_000_000n
const EACH = 300_000n
const STEPS = 240
const hex = checksumAddress

type Behaviour = 'exact' | 'fee' | 'hostile'

/** The model: who holds how many tokens, and how many coins. */
class Book {
  readonly tokens = new Map<string, bigint>()
  readonly coins = new Map<string, bigint>()

  static add(table: Map<string, bigint>, who: Address, change: bigint): void {
    table.set(bytesToKey(who), Book.of(table, who) + change)
  }

  static of(table: Map<string, bigint>, who: Address): bigint {
    return table.get(bytesToKey(who)) ?? 0n
  }

  get supply(): bigint {
    return [...this.coins.values()].reduce((sum, each) => sum + each, 0n)
  }
}

interface Subject {
  readonly name: string
  readonly address: Address
  readonly behaviour: Behaviour
  readonly book: Book
}

const SUBJECTS: readonly (readonly [string, Behaviour])[] = [
  ['Honest', 'exact'],
  ['NoReturn', 'exact'],
  ['FeeOnTransfer', 'fee'],
  ['Rebasing', 'hostile'],
  ['Liar', 'hostile'],
  ['CallsBack', 'hostile'],
  ['GivesTwice', 'hostile'],
  ['FeeOfSender', 'hostile'],
]

/** How much of an amount arrives. */
const arriving = (behaviour: Behaviour, amount: bigint): bigint =>
  behaviour === 'fee' ? amount - amount / 10n : amount

const setUp = async (world: TokenWorld): Promise<readonly Subject[]> => {
  const subjects: Subject[] = []
  for (const [name, behaviour] of SUBJECTS) {
    const address = await world.deploy(name)
    expect(world.register(address)).toMatchObject({ answer: {} })
    const book = new Book()
    Book.add(book.tokens, ALICE, MILLION)
    for (const who of PEOPLE) {
      await world.send(who, address, 'approve', bytesToHex(CONVERTER), 2n ** 255n)
      await world.send(ALICE, address, 'transfer', bytesToHex(who), EACH)
      Book.add(book.tokens, ALICE, -EACH)
      Book.add(book.tokens, who, arriving(behaviour, EACH))
    }
    subjects.push({ name, address, behaviour, book })
  }
  return subjects
}

class Run {
  readonly #world: TokenWorld
  readonly #random: Random
  readonly #subjects: readonly Subject[]
  readonly done = { deposits: 0, withdrawals: 0, refused: 0 }

  constructor(world: TokenWorld, random: Random, subjects: readonly Subject[]) {
    this.#world = world
    this.#random = random
    this.#subjects = subjects
  }

  async step(): Promise<void> {
    const random = this.#random
    const subject = random.pick(this.#subjects)
    const [from, to] = [random.pick(PEOPLE), random.pick(PEOPLE)]
    // Often all of it, or one too many.
    const table = random.chance(50) ? subject.book.coins : subject.book.tokens
    const amount = random.chance(30) ? Book.of(table, from) + BigInt(random.below(2)) : BigInt(1 + random.below(900))
    const kind = random.below(10)
    if (amount === 0n) return
    if (kind < 3) await this.#convert('deposit', subject, from, to, amount)
    else if (kind < 6) await this.#convert('withdraw', subject, from, to, amount)
    else if (kind < 7) await this.#give(subject, from, random.chance(20) ? ERC20_ADDRESS : to, amount)
    else if (kind < 9) this.#sendCoins(subject, from, to, amount)
    else await this.#turn(subject)
  }

  async #convert(kind: 'deposit' | 'withdraw', subject: Subject, from: Address, to: Address, amount: bigint) {
    const { address: token, behaviour, book } = subject
    const isNative = this.#random.chance(50)
    const supply = this.#world.supply(token)
    let isDone: boolean
    if (isNative) isDone = 'answer' in this.#world[kind](from, token, amount, encodeBech32(to))
    else {
      const outcome = await this.#world.call(engine, 'erc20', kind, [hex(token), amount, hex(to)], { from })
      isDone = 'value' in outcome
    }
    this.done[isDone ? (kind === 'deposit' ? 'deposits' : 'withdrawals') : 'refused']++
    if (behaviour === 'hostile') {
      const owed = this.#world.supply(token)
      if (!isDone) expect(owed).toBe(supply)
      else if (kind === 'withdraw') expect(owed).toBe(supply - amount)
      else expect(owed > supply && owed <= supply + amount).toBe(true)
      // What it says right now covers what is owed, or nothing of it was moved.
      if (isDone) expect(await this.#world.escrowed(token)).toBeGreaterThanOrEqual(owed)
      return
    }
    if (kind === 'deposit') {
      expect(isDone, subject.name).toBe(Book.of(book.tokens, from) >= amount)
      if (!isDone) return
      const arrived = arriving(behaviour, amount)
      Book.add(book.tokens, from, -amount)
      Book.add(book.tokens, ERC20_ADDRESS, arrived)
      Book.add(book.coins, to, arrived)
    } else {
      expect(isDone, subject.name).toBe(Book.of(book.coins, from) >= amount)
      if (!isDone) return
      Book.add(book.coins, from, -amount)
      Book.add(book.tokens, ERC20_ADDRESS, -amount)
      Book.add(book.tokens, to, arriving(behaviour, amount))
    }
  }

  /** A transfer of the token beside the converter. */
  async #give({ address, behaviour, book }: Subject, from: Address, to: Address, amount: bigint): Promise<void> {
    const { failure } = await this.#world.send(from, address, 'transfer', bytesToHex(to), amount)
    if (behaviour === 'hostile' || failure !== undefined) return
    Book.add(book.tokens, from, -amount)
    Book.add(book.tokens, to, arriving(behaviour, amount))
  }

  #sendCoins({ address, behaviour, book }: Subject, from: Address, to: Address, amount: bigint): void {
    const sent = this.#world.message(bankTx.Msg.method.send, {
      fromAddress: encodeBech32(from),
      toAddress: encodeBech32(to),
      amount: [{ denom: denomOf(address), amount: amount.toString() }],
    })
    if (behaviour === 'hostile' || 'refusal' in sent) return
    Book.add(book.coins, from, -amount)
    Book.add(book.coins, to, amount)
  }

  /** What hostile tokens do between transfers. */
  async #turn({ name, address }: Subject): Promise<void> {
    const random = this.#random
    if (name === 'Rebasing') await this.#world.send(ALICE, address, 'rebase', BigInt(1 + random.below(300)))
    else if (name === 'Liar') {
      const [told, step] = [random.pick([0n, 500n, 2n ** 256n - 1n]), random.pick([0n, 1n, 70n, 2n ** 256n - 5n])]
      await this.#world.send(ALICE, address, 'tell', told, step)
    } else if (name === 'CallsBack') {
      const functionName = random.pick(['deposit', 'withdraw'] as const)
      const target = random.pick(this.#subjects).address
      const args = [bytesToHex(target), BigInt(1 + random.below(100)), bytesToHex(address)] as const
      const data = encodeFunctionData({ abi: converterAbi, functionName, args })
      await this.#world.send(ALICE, address, 'aim', bytesToHex(CONVERTER), data)
    }
  }

  /** Honest tokens are as the model has them, whatever the others did. */
  async check(): Promise<void> {
    for (const { name, address, behaviour, book } of this.#subjects) {
      if (behaviour === 'hostile') continue
      for (const who of PEOPLE) expect(this.#world.coins(who, address), name).toBe(Book.of(book.coins, who))
      for (const who of [...PEOPLE, ERC20_ADDRESS]) {
        expect(await this.#world.held(address, who), name).toBe(Book.of(book.tokens, who))
      }
      expect(this.#world.supply(address)).toBe(book.supply)
      expect(await this.#world.escrowed(address)).toBeGreaterThanOrEqual(book.supply)
    }
    expect(this.#world.faults()).toEqual([])
  }
}

it(
  'honest tokens are worth what the escrow holds of them, whatever hostile ones do beside them',
  seeded(4_800, async (random) => {
    const world = new TokenWorld(engine)
    const run = new Run(world, random, await setUp(world))
    for (let step = 0; step < STEPS; step++) {
      await run.step()
      if (step % 8 === 0) await run.check()
    }
    await run.check()
    expect(Math.min(run.done.deposits, run.done.withdrawals, run.done.refused)).toBeGreaterThan(5)
  }),
)
