/** A node that lies to an audit: one of its ports behind a proxy that changes the answers of one method. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { vi } from 'vitest'
import { AuditFault, type Finding, type Rule } from '../../bin/cli/clob/audit-fault.ts'
import { describeAudit } from '../../bin/cli/clob/audit-report.ts'
import { StepState } from '../../bin/cli/clob/audit-state.ts'
import { auditClob } from '../../bin/cli/clob/audit.ts'
import { OrderBuckets } from '../../modules/clob/book/bucket-root.ts'
import { StepRun } from '../../modules/clob/matching/step-run.ts'
import { Room } from '../../modules/clob/plan/room.ts'

interface Signature {
  /** Null where a validator's vote came too late for the commit. */
  signature: string | null
}

/** The result of a method; each has some of its members. */
export interface Answer {
  readonly block: { data: { txs: string[] | null }; last_commit: { signatures: Signature[] } }
  readonly signed_header: { header: { app_hash: string }; commit: { signatures: Signature[] } }
  txs_results: { code: number }[] | null
  readonly validators: { voting_power: string }[]
  readonly response: { value: string | null; proofOps?: { readonly ops: readonly unknown[] } }
  readonly accountProof: string[]
  readonly storageProof: { proof: string[] }[]
}

interface Lie {
  readonly name: string
  readonly method: string
  /** The rule by which the lie is found; 1 where it is left out. */
  readonly rule?: Rule
  /** Another result in its place, where it gives one. */
  change(answer: Answer, path: string | undefined): unknown
}

/** Another value of what nothing proves: the audit says that the chain may be at fault, too. */
export const UNPROVEN_LIE: Lie = { name: 'another EVM chain id', method: 'eth_chainId', rule: 7, change: () => '0x1' }

const stale = (nodes: string[]): void => void nodes.pop()

/** Those of test/audit/lies.py, and more of values, balances and orders. */
export const LIES: readonly Lie[] = [
  {
    name: 'a block without its last transaction',
    method: 'block',
    change: ({ block: { data } }) => void data.txs?.pop(),
  },
  {
    name: 'a block with its transactions turned round',
    method: 'block',
    change: ({ block: { data } }) => void data.txs?.reverse(),
  },
  {
    name: 'a last commit without signatures',
    method: 'block',
    change: ({ block: { last_commit } }) => {
      for (const vote of last_commit.signatures) vote.signature = ''
    },
  },
  {
    name: 'other results',
    method: 'block_results',
    change: ({ txs_results }) => {
      for (const result of txs_results ?? []) result.code = 47
    },
  },
  {
    name: 'a signature that does not hold',
    method: 'commit',
    change: ({ signed_header: { commit } }) => {
      for (const vote of commit.signatures) {
        if (vote.signature === null) continue
        vote.signature = (vote.signature.startsWith('A') ? 'B' : 'A') + vote.signature.slice(1)
      }
    },
  },
  {
    name: 'another application hash',
    method: 'commit',
    change: ({ signed_header: { header } }) => {
      header.app_hash = '00'.repeat(32)
    },
  },
  {
    name: 'other powers',
    method: 'validators',
    change: ({ validators }) => {
      for (const each of validators) each.voting_power = `${Number(each.voting_power) + 1}`
    },
  },
  {
    name: 'another value',
    method: 'abci_query',
    change: ({ response }) => {
      response.value = 'wQA='
    },
  },
  {
    name: 'a value that is kept back',
    method: 'abci_query',
    change: ({ response }) => {
      response.value = null
    },
  },
  {
    name: 'no proof',
    method: 'abci_query',
    change: ({ response }) => {
      delete response.proofOps
    },
  },
  {
    name: 'no open orders',
    method: 'abci_query',
    rule: 2,
    change: ({ response }, path) => {
      if (path === '/nat.clob.v1.Query/Orders') response.value = null
    },
  },
  {
    name: 'another value where only its hash is proven',
    method: 'abci_query',
    change: ({ response }) => {
      if ((response.proofOps?.ops ?? []).length === 0) response.value = 'wQA='
    },
  },
  {
    name: 'an account that is not proven',
    method: 'eth_getProof',
    change: ({ accountProof }) => stale(accountProof),
  },
  {
    name: 'values that are not proven',
    method: 'eth_getProof',
    change: ({ storageProof }) => {
      for (const { proof } of storageProof) stale(proof)
    },
  },
  {
    name: 'proofs of the values of others',
    method: 'eth_getProof',
    change: ({ storageProof }) => void storageProof.reverse(),
  },
]

/** A port whose answers to one method are changed on their way. */
interface LyingPort {
  readonly url: string
  close(): void
}

const openLiar = async (behind: string, { method, change }: Lie): Promise<LyingPort> => {
  const server = createServer((request, response) => {
    const answer = async (): Promise<string> => {
      const body = await text(request)
      const asked = JSON.parse(body) as { method: string; params: { path?: string } }
      const headers = { 'content-type': 'application/json' }
      const reply = (await (await fetch(behind, { method: 'POST', headers, body })).json()) as { result?: unknown }
      if (asked.method === method && reply.result !== undefined) {
        reply.result = change(reply.result as Answer, asked.params.path) ?? reply.result
      }
      return JSON.stringify(reply)
    }
    answer().then(
      (body) => response.end(body),
      (error: unknown) => response.writeHead(502).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export interface Ports {
  readonly comet: string
  readonly http: string
}

const auditOptions = ({ comet, http }: Ports, from: number, to: number) => {
  return { node: comet, jsonRpc: http, from, to, trustedHash: undefined, initialHeight: undefined }
}

/** What the audit in TypeScript finds; undefined where it finds nothing. */
export const findFault = async (ports: Ports, from: number, to: number): Promise<Finding | undefined> => {
  try {
    await auditClob(auditOptions(ports, from, to))
    return undefined
  } catch (error) {
    if (error instanceof AuditFault) return error.finding
    throw error
  }
}

/** Its report, and how many blocks it checked in a second. */
export const auditOwn = async (
  ports: Ports,
  from: number,
  to: number,
): Promise<{ readonly lines: readonly string[]; readonly blocksPerSecond: number }> => {
  const started = performance.now()
  const lines = describeAudit(await auditClob(auditOptions(ports, from, to)))
  return { lines, blocksPerSecond: ((to - from) * 1_000) / (performance.now() - started) }
}

/** What the audit says of a node that tells this lie. */
export const auditLiar = async (
  { comet, http }: Ports,
  lie: Lie,
  from: number,
  to: number,
): Promise<{ readonly finding: Finding | undefined; readonly url: string }> => {
  const isEthereum = lie.method.startsWith('eth_')
  const liar = await openLiar(isEthereum ? http : comet, lie)
  const { url } = liar
  try {
    const ports = isEthereum ? { comet, http: url } : { comet: url, http }
    return { finding: await findFault(ports, from, to), url }
  } finally {
    liar.close()
  }
}

/** What both audits say of the same blocks must be the same: numbers, and the lines of proposers. */
export const factsOf = (report: readonly string[]): readonly string[] => [
  /^ok blocks \d+ to \d+: \d+ orders, \d+ fills, \d+ obligations, \d+ open orders/.exec(report[0] ?? '')?.[0] ??
    `${report[0]}`,
  ...report.slice(1),
]

/**
 * A chain that breaks a rule looks as one does that keeps it to an audit whose own rule is changed: the part of the audit that is
 * changed, and the rule that must be named.
 */
export const CHAINS: readonly { readonly name: string; readonly rule: Rule; change(): { mockRestore(): void } }[] = [
  {
    name: 'room for fewer orders',
    rule: 5,
    change: () => vi.spyOn(Room.prototype, 'hasRoomFor').mockReturnValue(false),
  },
  {
    name: 'a fee of another tier',
    rule: 7,
    change: () => vi.spyOn(StepRun.prototype, 'tier').mockReturnValue({ volume: 0n, makerPpm: 1, takerPpm: 299 }),
  },
  {
    name: 'a balance that is not there',
    rule: 7,
    change: () => vi.spyOn(StepState.prototype, 'balance').mockReturnValue(0n),
  },
  {
    name: 'another root of the open orders',
    rule: 8,
    change: () => vi.spyOn(OrderBuckets.prototype, 'rootAfter').mockReturnValue(new Uint8Array(32)),
  },
]
