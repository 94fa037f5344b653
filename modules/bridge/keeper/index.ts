export * from './deposits.ts'
export * from './way-back.ts'
