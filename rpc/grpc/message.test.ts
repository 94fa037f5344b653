import { describe, expect, it } from 'vitest'
import { encodeStatusText, isGrpcType, parseTimeout } from './message.ts'
import { TEXT } from './testing/server.ts'

describe('what stands in headers', () => {
  it('is percent-encoded UTF-8 of bounded length', () => {
    expect(encodeStatusText('plain ~ text')).toBe('plain ~ text')
    expect(encodeStatusText('100 %\n')).toBe('100 %25%0A')
    expect(encodeStatusText('  invalid denom: ')).toBe('%20%20invalid denom:%20')
    expect(decodeURIComponent(encodeStatusText(TEXT))).toBe(TEXT)
    expect(encodeStatusText('x'.repeat(1e6))).toHaveLength(4_096)
    expect(decodeURIComponent(encodeStatusText('🙂'.repeat(1e5)))).toMatch(/^(?:🙂)+$/u)
  })

  it('tells times in six units', () => {
    expect(['2H', '3M', '4S', '5m', '6000u', '7000000n'].map(parseTimeout)).toEqual([7.2e6, 1.8e5, 4_000, 5, 6, 7])
    expect(['', '5', 'S', '-1S', '123456789S', '1x', 'a1S'].map(parseTimeout)).toEqual(Array(7).fill(undefined))
    expect(parseTimeout('99999999H')).toBe(2 ** 31 - 1)
  })

  it('names gRPC with messages of protobuf', () => {
    const types = ['application/grpc', 'application/grpc+proto', 'application/grpc;a=b', 'Application/gRPC+proto ; x']
    expect(types.map(isGrpcType)).toEqual([true, true, true, true])
    // The Go client of the Cosmos SDK, with the codec that its guides name.
    expect(isGrpcType('application/grpc+cosmos-sdk-grpc-codec')).toBe(true)
    const others = [undefined, '', 'application/grpc-web', 'application/grpc+json', 'application/grpcx', 'text/plain']
    expect(others.map(isGrpcType)).toEqual(Array(6).fill(false))
  })
})
