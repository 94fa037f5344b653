/** A node that lies to an audit: its consensus RPC behind a proxy that changes the answers of one method. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { AuditFault, type Finding } from '../../bin/cli/clob/audit-fault.ts'
import { auditClob } from '../../bin/cli/clob/audit.ts'

interface Signature {
  signature: string
}

/** The result of a method; each has some of its members. */
export interface Answer {
  readonly block: { data: { txs: string[] | null }; last_commit: { signatures: Signature[] } }
  readonly signed_header: { header: { app_hash: string }; commit: { signatures: Signature[] } }
  txs_results: { code: number }[] | null
  readonly validators: { voting_power: string }[]
  readonly response: { value: string | null; proofOps?: unknown }
}

interface Lie {
  readonly name: string
  readonly method: string
  change(answer: Answer): void
}

/** Those of test/audit/lies.py that rules 1 to 6 can meet. */
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
]

/** What the audit says of a node that tells this lie; undefined where it finds nothing. */
export const auditLiar = async (
  comet: string,
  { method, change }: Lie,
  from: number,
  to: number,
): Promise<{ readonly finding: Finding | undefined; readonly url: string }> => {
  const server = createServer((request, response) => {
    const answer = async (): Promise<string> => {
      const body = await text(request)
      const asked = JSON.parse(body) as { method: string }
      const headers = { 'content-type': 'application/json' }
      const reply = (await (await fetch(comet, { method: 'POST', headers, body })).json()) as { result?: Answer }
      if (asked.method === method && reply.result !== undefined) change(reply.result)
      return JSON.stringify(reply)
    }
    answer().then(
      (body) => response.end(body),
      (error: unknown) => response.writeHead(502).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    await auditClob({ node: url, from, to, trustedHash: undefined, initialHeight: undefined })
    return { finding: undefined, url }
  } catch (error) {
    if (error instanceof AuditFault) return { finding: error.finding, url }
    throw error
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
