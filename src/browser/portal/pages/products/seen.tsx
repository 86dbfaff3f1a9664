import { Fragment } from 'preact'
import type { Product } from '#generated/api.ts'
import { search } from '../../api/search.ts'
import { formatNumber, formatScore } from '../../language.ts'
import { Failure } from '../../parts/panel.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { t } from './texts/texts.ts'

/** What the service knows of the picture alone. Beside what the file says, it tells why a product is not found. */
export function Seen({ product, canSearch }: { product: Product; canSearch: boolean }) {
  const { image, thumbnail_url } = product
  return (
    <>
      <h3>{t.sees}</h3>
      <p class="palette">
        {image.palette.map(({ hex, share }) => (
          <span key={hex} class="colour" title={hex}>
            <svg width={12 + Math.round(share * 60)} height="24" aria-hidden="true">
              <rect width="100%" height="100%" rx="4" fill={hex} />
            </svg>
          </span>
        ))}
      </p>
      <p class="muted">{t.size(formatNumber(image.width), formatNumber(image.height))}</p>
      {canSearch && thumbnail_url !== null && (
        <Looked src={thumbnail_url} said={product.metadata.category ?? null} />
      )}
    </>
  )
}

/** Asks what a search with this picture would see in it: the thumbnail is sent as a shopper's photo would be. */
function Looked({ src, said }: { src: string; said: string | null }) {
  const [loaded, retry] = useLoad(
    async (signal) => {
      const picture = await (await fetch(src, { signal })).blob()
      return search({ words: '', picture }, { limit: 1 }, signal)
    },
    [src],
  )
  if (loaded.state === 'loading') return <p class="muted">{t.looking}</p>
  if (loaded.state === 'failed') return <Failure error={loaded.error} onRetry={retry} />
  const { query_categories = [], query_image, regions = [] } = loaded.value
  const [best] = query_categories
  const isOther = said !== null && best !== undefined && best.name !== said
  return (
    <>
      {best && (
        <dl class="facts">
          {query_categories.slice(0, 3).map(({ name, score }) => (
            <Fragment key={name}>
              <dt dir="auto">{name}</dt>
              <dd>{formatScore(score)}</dd>
            </Fragment>
          ))}
        </dl>
      )}
      {isOther && <p class="note">{t.otherCategory(best.name, said)}</p>}
      {query_image && regions.length > 0 && (
        <figure class="regions">
          <div>
            <img src={src} alt="" />
            <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
              {regions.map(({ box: { x, y, width, height } }, n) => (
                <rect key={n} {...{ x, y, width, height }} />
              ))}
            </svg>
          </div>
          <figcaption class="muted">{t.regions(regions.length)}</figcaption>
        </figure>
      )}
    </>
  )
}
