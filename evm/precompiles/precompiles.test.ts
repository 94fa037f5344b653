/** Every precompile against the library's, which computes on curves of other authors, on random, edge and invalid inputs. */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { createEVM } from '@ethereumjs/evm'
import { describe, expect, it } from 'vitest'
import { bigintToBytes, concatBytes, padLeft } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { signDigest } from '../../core/signature.ts'
import { seededRandom } from '../../store/testing/seeded-random.ts'
import { createLibraryEvm } from '../reference/machine.ts'
import { verifyKzgProof } from '../reference/crypto.ts'
import { loadCurves } from '../reference/curves.ts'
import { loadPrecompiles } from './table.ts'

const GAS = 200_000_000
const FORKS = ['cancun', 'osaka'] as const
type Fork = (typeof FORKS)[number]
/**
 * The reference has its own BLS12-381, in JavaScript: what the reference engine uses is the library that is tested
 * here.
 */
const createReference = async (fork: Fork) => {
  const { common } = await createLibraryEvm(fork, 1n)
  const { bn254: rust } = await loadCurves()
  return { evm: await createEVM({ common, bn254: rust }), common }
}
const libraries = { cancun: await createReference('cancun'), osaka: await createReference('osaka') }
const tables = await loadPrecompiles()
const pick = seededRandom(Number(process.env['SEED'] ?? 23))
const randomBytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => pick(256))
const word = (value: bigint): Uint8Array => padLeft(bigintToBytes(value), 32)

interface Answer {
  readonly gas: number
  readonly output: string
}

/** Refusals are compared as such: the library has other words for them. */
const REFUSED = 'refused'

const libraryAnswer = async (fork: Fork, number: number, input: Uint8Array): Promise<Answer> => {
  const { evm, common } = libraries[fork]
  const compute = evm.precompiles.get(number.toString(16).padStart(40, '0'))
  if (compute === undefined) throw new TypeError('the library lacks a precompile')
  const result = await compute({ data: input, gasLimit: BigInt(GAS), common, _EVM: evm })
  const output = result.exceptionError === undefined ? bytesToHex(result.returnValue) : REFUSED
  return { gas: Number(result.executionGasUsed), output }
}

const ourAnswer = (fork: Fork, number: number, input: Uint8Array): Answer => {
  const precompile = tables[fork].get(number)
  const gas = precompile?.gasOf(input) ?? GAS
  const output = gas > GAS ? 'out of gas' : (precompile?.run(input) ?? '')
  return typeof output === 'string' ? { gas: GAS, output: REFUSED } : { gas, output: bytesToHex(output) }
}

const expectSame = async (number: number, input: Uint8Array, fork: Fork = 'osaka'): Promise<string> => {
  // A view that does not begin where its buffer does, as the memory of a machine gives it.
  const view = concatBytes(randomBytes(5), input, randomBytes(3)).subarray(5, 5 + input.length)
  const ours = ourAnswer(fork, number, view)
  expect(ours, `0x${number.toString(16)}: ${bytesToHex(input)}`).toEqual(await libraryAnswer(fork, number, input))
  return ours.output
}

/** Some of the inputs with a bit changed, a byte more or less, or nothing at all. */
const variants = (input: Uint8Array): readonly Uint8Array[] => {
  const changed = input.slice()
  const at = pick(input.length)
  changed[at] = (changed[at] as number) ^ (1 << pick(8))
  return [input, changed, input.subarray(1), concatBytes(input, Uint8Array.of(7)), new Uint8Array(0)]
}

describe('of Frontier', () => {
  it('recover, hash and copy as the library does', async () => {
    for (let round = 0; round < 40; round++) {
      const digest = randomBytes(32)
      const { r, s, yParity } = signDigest(digest, randomBytes(32))
      const v = word(27n + BigInt(round % 5 === 4 ? pick(4) : yParity))
      for (const input of variants(concatBytes(digest, v, r, s))) await expectSame(1, input)
      for (const number of [2, 3, 4]) await expectSame(number, randomBytes(pick(200)))
    }
  })

  it('recover from a high s and from no numbers in range', async () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const digest = randomBytes(32)
    const { r, s, yParity } = signDigest(digest, randomBytes(32))
    const high = word(order - BigInt(bytesToHex(s)))
    expect(await expectSame(1, concatBytes(digest, word(28n - BigInt(yParity)), r, high))).not.toBe('0x')
    for (const bad of [0n, order, order + 1n]) {
      await expectSame(1, concatBytes(digest, word(27n), r, word(bad)))
      await expectSame(1, concatBytes(digest, word(27n), word(bad), s))
    }
  })
})

describe('MODEXP', () => {
  it('is the library’s power and price, at every length and fork', async () => {
    const sizes = [0, 1, 2, 31, 32, 33, 40, 64, 65]
    for (const fork of FORKS) {
      for (let round = 0; round < 250; round++) {
        const [base, exponent, modulus] = [0, 1, 2].map(() => sizes[pick(sizes.length)] as number) as [
          number,
          number,
          number,
        ]
        const numbers = randomBytes(base + exponent + modulus)
        if (pick(3) === 0) numbers.fill(0, base, base + pick(exponent + 1))
        if (pick(5) === 0) numbers.fill(0, base + exponent)
        const head = concatBytes(...[base, exponent, modulus].map((size) => word(BigInt(size))))
        const input = concatBytes(head, numbers)
        await expectSame(5, input, fork)
        await expectSame(5, input.subarray(0, pick(input.length + 1)), fork)
      }
    }
  })

  const inputOf = (base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array): Uint8Array =>
    concatBytes(...[base, exponent, modulus].map(({ length }) => word(BigInt(length))), base, exponent, modulus)

  it('is the library’s power of zero, of one and of what leaves one of them, whatever the exponent begins with', async () => {
    const modulus = concatBytes(Uint8Array.of(1), randomBytes(31))
    const bases = [
      new Uint8Array(0),
      word(0n),
      word(1n),
      word(2n),
      modulus,
      modulus.with(31, (modulus[31] as number) ^ 1),
    ]
    const exponents = [[], [0], [1], [0, 0, 3], [1, 0, 0], [0x80], [0, 0xff, 0]].map((bytes) => Uint8Array.from(bytes))
    for (const fork of FORKS) {
      for (const base of bases) {
        for (const exponent of [...exponents, randomBytes(70), new Uint8Array(70)]) {
          for (const divisor of [modulus, word(0n), word(1n), word(2n), word(256n), new Uint8Array(0)]) {
            await expectSame(5, inputOf(base, exponent, divisor), fork)
          }
        }
      }
    }
  })

  it('goes through an exponent once: half a megabyte ends', () => {
    const exponent = new Uint8Array(2 ** 19)
    exponent[0] = 0xff
    const modexp = tables.cancun.get(5)
    // 3 has the order 4 modulo 5, so the last byte tells the power.
    expect(modexp?.run(inputOf(Uint8Array.of(3), exponent, Uint8Array.of(5)))).toEqual(Uint8Array.of(1))
    exponent[exponent.length - 1] = 3
    expect(modexp?.run(inputOf(Uint8Array.of(3), exponent, Uint8Array.of(5)))).toEqual(Uint8Array.of(2))
    expect(modexp?.run(inputOf(Uint8Array.of(3), exponent, word(5n)))).toEqual(word(2n))
    expect(modexp?.run(inputOf(new Uint8Array(0), exponent, word(5n)))).toEqual(word(0n))
  })

  it('refuses or prices lengths that nothing has', async () => {
    const lengths = [0n, 1n, 1_024n, 1_025n, 1n << 32n, 1n << 63n, (1n << 256n) - 1n]
    for (const fork of FORKS) {
      for (const base of lengths) {
        for (const exponent of lengths) {
          for (const modulus of lengths) {
            await expectSame(5, concatBytes(word(base), word(exponent), word(modulus), randomBytes(40)), fork)
          }
        }
      }
    }
  })
})

/** Field elements at the ends of the field, of its extension too. */
const edges = (prime: bigint): readonly bigint[] => [0n, 1n, 2n, prime - 1n, prime, prime + 1n]

describe('alt_bn128', () => {
  const { G1, G2, fields } = bn254
  const PRIME = fields.Fp.ORDER
  const scalar = (): bigint => 1n + (BigInt(bytesToHex(randomBytes(40))) % (fields.Fr.ORDER - 1n))
  const g1 = (factor: bigint): Uint8Array => {
    if (factor === 0n) return new Uint8Array(64)
    const { x, y } = G1.Point.BASE.multiply(factor).toAffine()
    return concatBytes(word(x), word(y))
  }
  const g2 = (factor: bigint): Uint8Array => {
    if (factor === 0n) return new Uint8Array(128)
    const { x, y } = G2.Point.BASE.multiply(factor).toAffine()
    return concatBytes(word(x.c1), word(x.c0), word(y.c1), word(y.c0))
  }
  /** A point on the curve over the extension, but outside the group. */
  const outside = (): Uint8Array => {
    for (let at = BigInt(pick(1_000)); ; at++) {
      const x = fields.Fp2.create({ c0: at, c1: 1n })
      const square = fields.Fp2.add(fields.Fp2.mul(fields.Fp2.sqr(x), x), G2.Point.CURVE().b)
      try {
        const y = fields.Fp2.sqrt(square)
        return concatBytes(word(x.c1), word(x.c0), word(y.c1), word(y.c0))
      } catch {
        continue
      }
    }
  }

  it('adds and multiplies as the library does', async () => {
    for (let round = 0; round < 25; round++) {
      const [a, b] = [scalar(), scalar()]
      for (const input of variants(concatBytes(g1(a), g1(b)))) await expectSame(6, input)
      for (const input of variants(concatBytes(g1(a), randomBytes(32)))) await expectSame(7, input)
    }
    const a = scalar()
    const opposite = fields.Fr.ORDER - a
    for (const [left, right] of [
      [a, a],
      [a, opposite],
      [a, 0n],
      [0n, a],
      [0n, 0n],
    ] as const) {
      await expectSame(6, concatBytes(g1(left), g1(right)))
    }
    for (const factor of [0n, 1n, 2n, fields.Fr.ORDER - 1n, fields.Fr.ORDER, fields.Fr.ORDER + 1n, (1n << 256n) - 1n]) {
      await expectSame(7, concatBytes(g1(a), word(factor)))
      await expectSame(7, concatBytes(g1(0n), word(factor)))
    }
  })

  it('takes no coordinate that is not canonical and no point off the curve', async () => {
    for (const x of edges(PRIME)) {
      for (const y of edges(PRIME)) {
        await expectSame(6, concatBytes(word(x), word(y), g1(3n)))
        await expectSame(6, concatBytes(g1(3n), word(x), word(y)))
        await expectSame(7, concatBytes(word(x), word(y), word(5n)))
        await expectSame(8, concatBytes(word(x), word(y), g2(3n)))
        await expectSame(8, concatBytes(g1(3n), word(x), word(y), word(y), word(x)))
      }
    }
    const { x, y } = G1.Point.BASE.toAffine()
    await expectSame(7, concatBytes(word(x + PRIME), word(y), word(5n)))
  })

  it('pairs as the library does', async () => {
    const [a, b] = [scalar(), scalar()]
    const one = concatBytes(g1(a), g2(b), g1(fields.Fr.mul(a, b)), g2(fields.Fr.ORDER - 1n))
    expect(await expectSame(8, one)).toBe(bytesToHex(word(1n)))
    expect(await expectSame(8, concatBytes(g1(a), g2(b)))).toBe(bytesToHex(word(0n)))
    for (const input of variants(one)) await expectSame(8, input)
    for (const input of variants(concatBytes(one, g1(0n), g2(b), g1(a), g2(0n)))) await expectSame(8, input)
    expect(await expectSame(8, concatBytes(g1(0n), g2(0n)))).toBe(bytesToHex(word(1n)))
  })

  it('refuses what lies on the twist and outside the group, beside infinity too', async () => {
    for (let round = 0; round < 8; round++) {
      const bad = outside()
      expect(await expectSame(8, concatBytes(g1(5n), bad))).toBe(REFUSED)
      expect(await expectSame(8, concatBytes(g1(0n), bad))).toBe(REFUSED)
      expect(tables.osaka.get(8)?.run(concatBytes(g1(0n), bad))).toBe('point is not in correct subgroup')
    }
  })

  it('pairs lists longer than what lies in memory at once', () => {
    const pair = concatBytes(g1(2n), g2(3n), g1(fields.Fr.ORDER - 6n), g2(1n))
    const pairing = tables.osaka.get(8)
    const many = concatBytes(...Array.from({ length: 260 }, () => pair))
    expect(pairing?.run(many)).toEqual(word(1n))
    expect(pairing?.run(concatBytes(many, g1(1n), g2(1n)))).toEqual(word(0n))
  })
})

describe('BLS12-381', () => {
  const { G1, G2, fields } = bls12_381
  const PRIME = fields.Fp.ORDER
  const ORDER = fields.Fr.ORDER
  const scalar = (): bigint => 1n + (BigInt(bytesToHex(randomBytes(40))) % (ORDER - 1n))
  const field = (value: bigint): Uint8Array => padLeft(bigintToBytes(value), 64)
  const g1Bytes = (point: { readonly x: bigint; readonly y: bigint }): Uint8Array =>
    concatBytes(field(point.x), field(point.y))
  const g1 = (factor: bigint): Uint8Array =>
    factor === 0n ? new Uint8Array(128) : g1Bytes(G1.Point.BASE.multiply(factor).toAffine())
  const g2Bytes = ({ x, y }: { x: { c0: bigint; c1: bigint }; y: { c0: bigint; c1: bigint } }): Uint8Array =>
    concatBytes(field(x.c0), field(x.c1), field(y.c0), field(y.c1))
  const g2 = (factor: bigint): Uint8Array =>
    factor === 0n ? new Uint8Array(256) : g2Bytes(G2.Point.BASE.multiply(factor).toAffine())
  const outsideG1 = (): Uint8Array => {
    for (let x = BigInt(pick(1_000)); ; x++) {
      try {
        return g1Bytes({ x, y: fields.Fp.sqrt(fields.Fp.create(x ** 3n + 4n)) })
      } catch {
        continue
      }
    }
  }
  const outsideG2 = (): Uint8Array => {
    const { Fp2 } = fields
    for (let at = BigInt(pick(1_000)); ; at++) {
      const x = Fp2.create({ c0: at, c1: 1n })
      try {
        const y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), Fp2.create({ c0: 4n, c1: 4n })))
        return g2Bytes({ x, y })
      } catch {
        continue
      }
    }
  }

  it('adds as the library does, outside the group too', async () => {
    for (let round = 0; round < 8; round++) {
      const [a, b] = [scalar(), scalar()]
      for (const input of variants(concatBytes(g1(a), g1(b)))) await expectSame(0x0b, input)
      for (const input of variants(concatBytes(g2(a), g2(b)))) await expectSame(0x0d, input)
    }
    const a = scalar()
    for (const [left, right] of [
      [a, a],
      [a, ORDER - a],
      [a, 0n],
      [0n, a],
      [0n, 0n],
    ] as const) {
      await expectSame(0x0b, concatBytes(g1(left), g1(right)))
      await expectSame(0x0d, concatBytes(g2(left), g2(right)))
    }
    expect(await expectSame(0x0b, concatBytes(outsideG1(), g1(a)))).not.toBe(REFUSED)
    expect(await expectSame(0x0d, concatBytes(outsideG2(), g2(a)))).not.toBe(REFUSED)
  })

  it('multiplies lists as the library does', async () => {
    const factors = [0n, 1n, ORDER - 1n, ORDER, ORDER + 1n, (1n << 256n) - 1n]
    for (const count of [1, 2, 3, 17]) {
      const items = <Point>(point: (factor: bigint) => Point): readonly (readonly [Point, Uint8Array])[] =>
        Array.from({ length: count }, (_, index) => [
          point(index % 5 === 4 ? 0n : scalar()),
          index % 3 === 2 ? word(factors[pick(factors.length)] as bigint) : randomBytes(32),
        ])
      const first = concatBytes(...items(g1).flat())
      const second = concatBytes(...items(g2).flat())
      for (const input of variants(first)) await expectSame(0x0c, input)
      for (const input of variants(second)) await expectSame(0x0e, input)
    }
    for (const factor of factors) {
      await expectSame(0x0c, concatBytes(g1(7n), word(factor)))
      await expectSame(0x0e, concatBytes(g2(7n), word(factor)))
    }
  })

  it('multiplies lists longer than what lies in memory at once', () => {
    const count = 1_030
    const sum = Array.from({ length: count }, (_, index) => BigInt(index + 1)).reduce((total, factor) => total + factor)
    const list = (point: Uint8Array): Uint8Array =>
      concatBytes(...Array.from({ length: count }, (_, index) => [point, word(BigInt(index + 1))]).flat())
    expect(tables.osaka.get(0x0c)?.run(list(g1(3n)))).toEqual(g1(3n * sum))
    expect(tables.osaka.get(0x0e)?.run(list(g2(3n)))).toEqual(g2(3n * sum))
  })

  it('pairs as the library does', async () => {
    const [a, b] = [scalar(), scalar()]
    const one = concatBytes(g1(a), g2(b), g1(fields.Fr.mul(a, b)), g2(ORDER - 1n))
    expect(await expectSame(0x0f, one)).toBe(bytesToHex(word(1n)))
    for (const input of variants(one)) await expectSame(0x0f, input)
    for (const input of variants(concatBytes(one, g1(0n), g2(b), g1(a), g2(0n)))) await expectSame(0x0f, input)
  })

  it('refuses points outside the groups, in geth’s order', async () => {
    const [bad1, bad2] = [outsideG1(), outsideG2()]
    for (const [number, input, text] of [
      [0x0c, concatBytes(bad1, word(1n)), 'g1 point is not on correct subgroup'],
      [0x0c, concatBytes(bad1, word(0n)), 'g1 point is not on correct subgroup'],
      [0x0e, concatBytes(bad2, word(0n)), 'g2 point is not on correct subgroup'],
      [0x0f, concatBytes(bad1, bad2), 'g1 point is not on correct subgroup'],
      [0x0f, concatBytes(g1(1n), bad2), 'g2 point is not on correct subgroup'],
      [0x0f, concatBytes(g1(0n), bad2), 'g2 point is not on correct subgroup'],
      [0x0f, concatBytes(bad1, field(1n), field(1n), field(1n), field(1n)), 'invalid point: not on curve'],
    ] as const) {
      expect(await expectSame(number, input)).toBe(REFUSED)
      expect(tables.osaka.get(number)?.run(input)).toBe(text)
    }
  })

  it('takes canonical field elements alone, and maps them as RFC 9380 does', async () => {
    for (const x of edges(PRIME)) {
      await expectSame(0x10, field(x))
      for (const y of edges(PRIME)) {
        await expectSame(0x11, concatBytes(field(x), field(y)))
        await expectSame(0x0b, concatBytes(field(x), field(y), g1(2n)))
        await expectSame(0x0c, concatBytes(field(x), field(y), word(2n)))
        await expectSame(0x0d, concatBytes(field(x), field(y), field(y), field(x), g2(2n)))
        await expectSame(0x0f, concatBytes(g1(2n), field(x), field(y), field(y), field(x)))
      }
    }
    for (let round = 0; round < 20; round++) {
      const element = (): Uint8Array => field(BigInt(bytesToHex(randomBytes(60))) % PRIME)
      for (const input of variants(element())) await expectSame(0x10, input)
      for (const input of variants(concatBytes(element(), element()))) await expectSame(0x11, input)
    }
    const topped = field(5n)
    topped[15] = 1
    await expectSame(0x10, topped)
    expect(tables.osaka.get(0x10)?.run(topped)).toBe('invalid field element top bytes')
  })

  it('gives the sum after a refusal as before it', () => {
    const add = tables.osaka.get(0x0b)
    const msm = tables.osaka.get(0x0c)
    msm?.run(concatBytes(g1(9n), word(9n), outsideG1(), word(2n)))
    expect(add?.run(concatBytes(g1(2n), g1(3n)))).toEqual(g1(5n))
    expect(msm?.run(concatBytes(g1(2n), word(3n)))).toEqual(g1(6n))
  })
})

describe('point evaluation', () => {
  const { G1, fields } = bls12_381
  const { Fr } = fields
  const point = (factor: bigint): Uint8Array =>
    factor === 0n
      ? concatBytes(Uint8Array.of(0xc0), new Uint8Array(47))
      : hexToBytes(`0x${G1.Point.BASE.multiply(factor).toHex(true)}`)
  const inputOf = (z: bigint, y: bigint, commitment: Uint8Array, proof: Uint8Array): Uint8Array => {
    const hash = sha256(commitment)
    hash[0] = 1
    return concatBytes(hash, word(z), word(y), commitment, proof)
  }
  const evaluation = tables.osaka.get(10)
  const scalar = (): bigint => Fr.create(BigInt(bytesToHex(randomBytes(40))))

  /** The verification on @noble/curves, whose pairing is of another hand. */
  const nobleHolds = (input: Uint8Array): boolean | string => {
    const [commitment, z, y, proof] = [
      [96, 144],
      [32, 64],
      [64, 96],
      [144, 192],
    ].map(([from, to]) => bytesToHex(input.subarray(from, to))) as [string, string, string, string]
    try {
      return verifyKzgProof(commitment, z, y, proof)
    } catch {
      return 'refused'
    }
  }
  const ourHolds = (input: Uint8Array): boolean | string => {
    const output = evaluation?.run(input)
    if (typeof output !== 'string') return true
    return output.endsWith("can't verify opening proof") ? false : 'refused'
  }

  it('decides as the verification on another library', () => {
    // A constant polynomial has infinity for a proof; that of degree one has a constant for its quotient.
    for (let round = 0; round < 4; round++) {
      const [z, y] = [scalar(), scalar()]
      const good = inputOf(z, y, point(y), point(0n))
      expect([ourHolds(good), nobleHolds(good)]).toEqual([true, true])
      for (const input of [
        inputOf(z, Fr.add(y, 1n), point(y), point(0n)),
        inputOf(z, y, point(y), point(scalar())),
        inputOf(z, y, point(scalar()), point(scalar())),
        inputOf(0n, 0n, point(0n), point(scalar())),
      ]) {
        expect([ourHolds(input), nobleHolds(input)]).toEqual([false, false])
      }
    }
    const nothing = inputOf(scalar(), 0n, point(0n), point(0n))
    expect([ourHolds(nothing), nobleHolds(nothing)]).toEqual([true, true])
  })

  it('takes the proof of a polynomial that is no constant (geth, pointEvaluation.json), and no other', () => {
    const good = hexToBytes(
      '0x01e798154708fe7789429634053cbf9f99b619f9f084048927333fce637f549b564c0a11a0f704f4fc3e8acfe0f8245f0ad1347b378fbf96e206da11a5d3630624d25032e67a7e6a4910df5834b8fe70e6bcfeeac0352434196bdf4b2485d5a18f59a8d2a1a625a17f3fea0fe5eb8c896db3764f3185481bc22f91b4aaffcca25f26936857bc3a7c2539ea8ec3a952b7873033e038326e87ed3e1276fd140253fa08e9fc25fb2d9a98527fc22a2c9612fbeafdad446cbc7bcdbdcd780af2c16a',
    )
    expect([ourHolds(good), nobleHolds(good)]).toEqual([true, true])
    for (const at of [63, 95, 191]) {
      const changed = good.slice()
      changed[at] = (changed[at] as number) ^ 1
      expect(ourHolds(changed)).toBe(nobleHolds(changed))
      expect(ourHolds(changed)).not.toBe(true)
    }
    const opposite = good.slice()
    opposite[144] = (opposite[144] as number) ^ 0x20
    expect([ourHolds(opposite), nobleHolds(opposite)]).toEqual([false, false])
  })

  it('refuses what the other refuses: points off the curve and outside the group, other encodings, numbers', () => {
    const good = inputOf(3n, 5n, point(5n), point(0n))
    for (let round = 0; round < 60; round++) {
      const proof = randomBytes(48)
      proof[0] = ((proof[0] as number) & 0x1f) | (pick(8) << 5)
      const input = inputOf(3n, 5n, point(5n), proof)
      expect(ourHolds(input), bytesToHex(proof)).toBe(nobleHolds(input))
      const asCommitment = inputOf(3n, 5n, proof, point(0n))
      expect(ourHolds(asCommitment), bytesToHex(proof)).toBe(nobleHolds(asCommitment))
    }
    for (const [z, y] of [
      [Fr.ORDER, 5n],
      [3n, Fr.ORDER],
      [(1n << 256n) - 1n, 5n],
    ] as const) {
      const input = concatBytes(good.subarray(0, 32), word(z), word(y), good.subarray(96))
      expect([ourHolds(input), nobleHolds(input)]).toEqual(['refused', 'refused'])
    }
    expect(evaluation?.run(good.subarray(1))).toBe('invalid input length')
    expect(evaluation?.run(concatBytes(Uint8Array.of(2), good.subarray(1)))).toBe('mismatched versioned hash')
  })
})
