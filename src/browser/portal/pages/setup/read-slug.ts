import type { SlugState } from '#generated/api.ts'
import { send } from '../../api/transport.ts'

/** Reads whether a slug is free, with the code of the link in place of a sign-in. @throws CallError */
export const readSlug = async (slug: string, code: string, signal?: AbortSignal): Promise<SlugState> =>
  (await send('GET', `/v1/slugs/${encodeURIComponent(slug)}`, {
    headers: new Headers({ 'x-setup-code': code }),
    signal,
  })) as SlugState
