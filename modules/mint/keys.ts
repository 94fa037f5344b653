/** Keys of mint's store. */

/** RLP of the parameters, in the order of params.ts. */
export const PARAMS_KEY = Uint8Array.of(0x01)
/** RLP [inflation, annual provisions]; absent when both are zero. */
export const MINTER_KEY = Uint8Array.of(0x02)
