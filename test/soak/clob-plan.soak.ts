/** Each property of obligations, plan and selection 100,000 times; CLOB_PLAN_RUNS and SEED as in test/clob/plan/runs.ts. */
process.env['CLOB_PLAN_RUNS'] ??= '100000'
await import('../clob/plan/against-model.test.ts')
await import('../clob/plan/properties.test.ts')
await import('../clob/plan/selection.test.ts')

export {}
