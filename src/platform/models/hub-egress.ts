import type { Cidr } from '../../core/networks.ts'
import { createEgress, type Egress, type EgressOptions } from '../outbound/egress.ts'

/**
 * The way to the hub and to mirrors of it: https, and http inside the networks of `FETCH_ALLOW_CIDRS` alone.
 *
 * @param options `ca` and `lookup` are for tests.
 */
export const createModelEgress = (
  options: { allowCidrs: readonly Cidr[]; isOffline: boolean } & Pick<
    EgressOptions,
    'ca' | 'lookup' | 'clock'
  >,
): Egress => createEgress({ ...options, isTlsRequired: true, setting: 'FETCH_ALLOW_CIDRS' })
