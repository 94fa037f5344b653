import { describe, expect, it } from 'vitest'
import { openHome, requireHome } from './home.ts'
import { findNetwork } from './networks.ts'

describe('a home', () => {
  it('keeps its sockets within the length that the system allows', () => {
    expect(openHome('/a').abciSocket).toBe('unix:///a/abci.sock')
    const deep = openHome(`/${'deep/'.repeat(40)}`)
    const path = deep.abciSocket.replace('unix://', '')
    expect(path.length).toBeLessThan(108)
    expect(path).not.toBe(deep.queriesSocket.replace('unix://', ''))
  })

  it('that is missing says how to make it', () => {
    expect(() => requireHome(openHome('/nowhere'))).toThrowError(
      '/nowhere/config/config.toml is missing: run "chain init <moniker> --chain-id <id> --home /nowhere" first',
    )
  })
})

describe('networks', () => {
  it('are known by their native chain id', () => {
    expect(findNetwork('nat-2517-1', undefined)).toMatchObject({ evmChainId: 2517n, isPublic: true })
    expect(findNetwork('nat-2518-1', undefined).notice).toContain('reserved')
    expect(findNetwork('localnat-1', undefined)).toMatchObject({ evmChainId: 2517n, isPublic: false })
    expect(findNetwork('mine-1', 7n)).toEqual({ chainId: 'mine-1', evmChainId: 7n, isPublic: false })
  })

  it('refuse what does not fit', () => {
    expect(() => findNetwork('mine-1', undefined)).toThrowError('name its EVM chain id with --evm-chain-id')
    expect(() => findNetwork('nat-2517-1', 1n)).toThrowError('the EVM chain id of nat-2517-1 is 2517, not 1')
    expect(() => findNetwork('bad id', 1n)).toThrowError('is no chain id')
  })
})
