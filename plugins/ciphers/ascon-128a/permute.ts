/**
 * The Ascon permutation: five 64-bit words as ten halves, most significant first. No branch or index depends on the
 * state.
 */

/** The last `rounds` of twelve. `aH` and `aL`: the halves of the first word, and so on. */
export function permuteState(state: Int32Array, rounds: number): void {
  let aH = state[0] ?? 0;
  let aL = state[1] ?? 0;
  let bH = state[2] ?? 0;
  let bL = state[3] ?? 0;
  let cH = state[4] ?? 0;
  let cL = state[5] ?? 0;
  let dH = state[6] ?? 0;
  let dL = state[7] ?? 0;
  let eH = state[8] ?? 0;
  let eL = state[9] ?? 0;
  for (let round = 12 - rounds; round < 12; round++) {
    cL ^= ((0xf - round) << 4) | round;
    aH ^= eH;
    aL ^= eL;
    eH ^= dH;
    eL ^= dL;
    cH ^= bH;
    cL ^= bL;
    let taH = aH ^ (~bH & cH);
    let taL = aL ^ (~bL & cL);
    let tbH = bH ^ (~cH & dH);
    let tbL = bL ^ (~cL & dL);
    let tcH = cH ^ (~dH & eH);
    let tcL = cL ^ (~dL & eL);
    let tdH = dH ^ (~eH & aH);
    let tdL = dL ^ (~eL & aL);
    const teH = eH ^ (~aH & bH);
    const teL = eL ^ (~aL & bL);
    tbH ^= taH;
    tbL ^= taL;
    taH ^= teH;
    taL ^= teL;
    tdH ^= tcH;
    tdL ^= tcL;
    tcH = ~tcH;
    tcL = ~tcL;
    aH = taH ^ ((taH >>> 19) | (taL << 13)) ^ ((taH >>> 28) | (taL << 4));
    aL = taL ^ ((taL >>> 19) | (taH << 13)) ^ ((taL >>> 28) | (taH << 4));
    bH = tbH ^ ((tbL >>> 29) | (tbH << 3)) ^ ((tbL >>> 7) | (tbH << 25));
    bL = tbL ^ ((tbH >>> 29) | (tbL << 3)) ^ ((tbH >>> 7) | (tbL << 25));
    cH = tcH ^ ((tcH >>> 1) | (tcL << 31)) ^ ((tcH >>> 6) | (tcL << 26));
    cL = tcL ^ ((tcL >>> 1) | (tcH << 31)) ^ ((tcL >>> 6) | (tcH << 26));
    dH = tdH ^ ((tdH >>> 10) | (tdL << 22)) ^ ((tdH >>> 17) | (tdL << 15));
    dL = tdL ^ ((tdL >>> 10) | (tdH << 22)) ^ ((tdL >>> 17) | (tdH << 15));
    eH = teH ^ ((teH >>> 7) | (teL << 25)) ^ ((teL >>> 9) | (teH << 23));
    eL = teL ^ ((teL >>> 7) | (teH << 25)) ^ ((teH >>> 9) | (teL << 23));
  }
  state[0] = aH;
  state[1] = aL;
  state[2] = bH;
  state[3] = bL;
  state[4] = cH;
  state[5] = cL;
  state[6] = dH;
  state[7] = dL;
  state[8] = eH;
  state[9] = eL;
}
