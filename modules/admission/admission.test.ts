import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { CodedError } from '../../core/errors.ts'
import { admissionQuery, admissionTx } from '../../proto/index.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { GOVERNANCE_ADDRESS } from '../authority.ts'
import type { Event } from '../module.ts'
import { formatOperator } from '../validator-addresses.ts'
import { admissionModule, mayCreateValidator, parseAdmissionGenesis } from './index.ts'
import { ADMISSION_ADDRESS } from './keys.ts'

const { method } = admissionTx.Msg
const GOV = encodeBech32(GOVERNANCE_ADDRESS)
const operator = (byte: number): Uint8Array => new Uint8Array(20).fill(byte)
const name = (byte: number): string => formatOperator(operator(byte))
const module = admissionModule.create({})

const makeWorld = (genesis?: unknown) => {
  const state = new Overlay(new LatestState(openMemoryStore(), 100))
  const events: Event[] = []
  const context = { state, height: 1, timeNs: 0n, chainId: 'x', emit: (event: Event) => void events.push(event) }
  module.initGenesis(context, genesis)
  const send = <Input extends DescMessage>({ input }: { readonly input: Input }, message: MessageInitShape<Input>) => {
    const handler = module.messages.find(({ typeUrl }) => typeUrl === `/${input.typeName}`)
    const decoded = handler?.decode(toBinary(input, create(input, message)))
    const prepared = handler?.prepare(decoded)
    handler?.execute({ ...context, consumeGas: () => undefined }, prepared)
  }
  const query = <Input extends DescMessage, Output extends DescMessage>(
    { name: path, input, output }: { readonly name: string; readonly input: Input; readonly output: Output },
    request: MessageInitShape<Input>,
  ): MessageShape<Output> => {
    const handler = module.queries.find((each) => each.path.endsWith(`/${path}`))
    return fromBinary(output, handler?.query(context, toBinary(input, create(input, request))) ?? new Uint8Array(0))
  }
  return { state, events, context, send, query }
}

const codeOf = (call: () => void): string => {
  try {
    call()
    return 'ok'
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return `${error.codespace}/${error.code}`
  }
}

describe('admission', () => {
  it('lets anyone create a validator unless it is told otherwise', () => {
    const { state, send } = makeWorld()
    expect(mayCreateValidator(state, operator(1))).toBe(true)
    send(method.updateParams, { authority: GOV, params: { approvalRequired: true } })
    expect(mayCreateValidator(state, operator(1))).toBe(false)
    send(method.updateParams, { authority: GOV, params: { approvalRequired: false } })
    expect(mayCreateValidator(state, operator(1))).toBe(true)
    expect(state.values(ADMISSION_ADDRESS, new Uint8Array(0), 10)).toEqual([])
  })

  it('is decided by governance alone', () => {
    const { state, events, send, query } = makeWorld({ params: { approval_required: true } })
    const approve = (authority: string, operatorAddress: string) =>
      codeOf(() => send(method.approveOperator, { authority, operatorAddress }))
    const revoke = (authority: string, operatorAddress: string) =>
      codeOf(() => send(method.revokeOperator, { authority, operatorAddress }))
    expect(approve(encodeBech32(operator(1)), name(1))).toBe('sdk/4')
    expect(approve('x', name(1))).toBe('sdk/7')
    expect(approve(GOV, encodeBech32(operator(1)))).toBe('sdk/7')
    expect(approve(GOV, name(1))).toBe('ok')
    expect(approve(GOV, name(1))).toBe('sdk/18')
    expect([mayCreateValidator(state, operator(1)), mayCreateValidator(state, operator(2))]).toEqual([true, false])
    expect(query(admissionQuery.Query.method.operator, { operatorAddress: name(1) })).toMatchObject({
      approved: true,
      mayCreateValidator: true,
    })
    expect(revoke(encodeBech32(operator(1)), name(1))).toBe('sdk/4')
    expect(revoke(GOV, name(1))).toBe('ok')
    expect(revoke(GOV, name(1))).toBe('sdk/38')
    expect(mayCreateValidator(state, operator(1))).toBe(false)
    expect(codeOf(() => send(method.updateParams, { authority: GOV }))).toBe('sdk/18')
    const attributes = [{ key: 'operator', value: name(1), index: true }]
    expect(events).toEqual([
      { type: 'approve_operator', attributes },
      { type: 'revoke_operator', attributes },
    ])
  })

  it('lists approved operators in pages', () => {
    const { query } = makeWorld({ operators: [3, 1, 2].map(name) })
    const { Operators, Params, Operator } = {
      Operators: admissionQuery.Query.method.operators,
      Params: admissionQuery.Query.method.params,
      Operator: admissionQuery.Query.method.operator,
    }
    const all = query(Operators, {})
    expect(all.operatorAddresses).toEqual([1, 2, 3].map(name))
    const first = query(Operators, { pagination: { limit: 2n } })
    const second = query(Operators, { pagination: { key: first.pagination?.nextKey ?? new Uint8Array(0) } })
    expect([...first.operatorAddresses, ...second.operatorAddresses]).toEqual(all.operatorAddresses)
    expect(query(Params, {}).params?.approvalRequired).toBe(false)
    expect(codeOf(() => void query(Operator, { operatorAddress: 'x' }))).toBe('grpc/3')
  })

  it('comes back from its export with the same values', () => {
    const { state, context } = makeWorld({ params: { approval_required: true }, operators: [2, 1].map(name) })
    const exported = JSON.parse(JSON.stringify(module.exportGenesis(context))) as unknown
    expect(exported).toEqual({ params: { approval_required: true }, operators: [1, 2].map(name) })
    const next = makeWorld(exported)
    const dump = (each: Overlay) => each.values(ADMISSION_ADDRESS, new Uint8Array(0), 10)
    expect(dump(next.state)).toEqual(dump(state))
    expect(dump(state)).toHaveLength(3)
  })

  it.each([
    [{ params: { approval_required: 'yes' } }, 'params.approval_required'],
    [{ operators: [name(1), name(1)] }, 'twice'],
    [{ operators: ['nat1'] }, 'operators[0]'],
    [{ more: 1 }, 'unknown field'],
  ])('refuses the genesis %j', (genesis, words) => {
    expect(() => parseAdmissionGenesis(genesis)).toThrow(words)
  })
})
