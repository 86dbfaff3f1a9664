import { call } from '../api/client.ts'
import { useLoad } from './use-load.ts'
import { useSending } from './use-sending.ts'

/** One of the drawn products: where it is, so are the others. */
const DRAWN = 'demo-mug-red'

async function hasDrawn(signal: AbortSignal): Promise<boolean> {
  const { products } = await call('GET /v1/products', { query: { q: DRAWN, limit: 1 }, signal })
  return products.some(({ product_id }) => product_id === DRAWN)
}

/** The products that come with the program: there in seconds, and gone again with one click. */
export function useDrawn({ onLoad, onRemove }: { onLoad(): void; onRemove(): void }) {
  const [drawn, retry] = useLoad(hasDrawn, [])
  const { isBusy, error, run } = useSending()
  return {
    isKnown: drawn.state !== 'loading',
    isThere: drawn.state === 'there' && drawn.value,
    ...{ isBusy, error },
    load: () =>
      run(async () => {
        await call('POST /v1/products/demo')
        retry()
        onLoad()
      }),
    remove: () =>
      run(async () => {
        await call('DELETE /v1/products/demo')
        retry()
        onRemove()
      }),
  }
}
