import checkoutBrotli from '#generated/docs/checkout.js.br' with { type: 'file' }
import checkoutGzip from '#generated/docs/checkout.js.gz' with { type: 'file' }
import guideBrotli from '#generated/docs/guide.js.br' with { type: 'file' }
import guideGzip from '#generated/docs/guide.js.gz' with { type: 'file' }
import licencesBrotli from '#generated/docs/licences.txt.br' with { type: 'file' }
import licencesGzip from '#generated/docs/licences.txt.gz' with { type: 'file' }
import manifest from '#generated/docs/manifest.json'
import pageCssBrotli from '#generated/docs/page.css.br' with { type: 'file' }
import pageCssGzip from '#generated/docs/page.css.gz' with { type: 'file' }
import pageBrotli from '#generated/docs/page.html.br' with { type: 'file' }
import pageGzip from '#generated/docs/page.html.gz' with { type: 'file' }
import previewCssBrotli from '#generated/docs/preview.css.br' with { type: 'file' }
import previewCssGzip from '#generated/docs/preview.css.gz' with { type: 'file' }
import previewBrotli from '#generated/docs/preview.js.br' with { type: 'file' }
import previewGzip from '#generated/docs/preview.js.gz' with { type: 'file' }
import startBrotli from '#generated/docs/start.js.br' with { type: 'file' }
import startGzip from '#generated/docs/start.js.gz' with { type: 'file' }
import tuningBrotli from '#generated/docs/swagger-tuning.css.br' with { type: 'file' }
import tuningGzip from '#generated/docs/swagger-tuning.css.gz' with { type: 'file' }
import styleBrotli from '#generated/docs/swagger-ui.css.br' with { type: 'file' }
import styleGzip from '#generated/docs/swagger-ui.css.gz' with { type: 'file' }
import bundleBrotli from '#generated/docs/swagger-ui-bundle.js.br' with { type: 'file' }
import bundleGzip from '#generated/docs/swagger-ui-bundle.js.gz' with { type: 'file' }

/** One file, as the build has made it: paths of its compressed forms. */
export interface DocsAsset {
  gzip: string
  br: string
  type: string
  /** Tells this content from every other. */
  hash: string
  /** Whether the name in the URL holds the hash, so that the content never changes. */
  isImmutable: boolean
}

const HTML = 'text/html; charset=utf-8'
const CSS = 'text/css; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'

const FILES: Readonly<Record<keyof typeof manifest, readonly [gzip: string, br: string, type: string]>> = {
  'page.html': [pageGzip, pageBrotli, HTML],
  'page.css': [pageCssGzip, pageCssBrotli, CSS],
  'start.js': [startGzip, startBrotli, SCRIPT],
  'guide.js': [guideGzip, guideBrotli, SCRIPT],
  'checkout.js': [checkoutGzip, checkoutBrotli, SCRIPT],
  'preview.js': [previewGzip, previewBrotli, SCRIPT],
  'preview.css': [previewCssGzip, previewCssBrotli, CSS],
  'swagger-tuning.css': [tuningGzip, tuningBrotli, CSS],
  'swagger-ui-bundle.js': [bundleGzip, bundleBrotli, SCRIPT],
  'swagger-ui.css': [styleGzip, styleBrotli, CSS],
  'licences.txt': [licencesGzip, licencesBrotli, 'text/plain; charset=utf-8'],
}

/** The files of the API page and of the small pages, by name in the URL: by a plain one, and by one that holds the hash. */
export const docsAssets: Readonly<Record<string, DocsAsset>> = Object.fromEntries(
  Object.entries(FILES).flatMap(([name, [gzip, br, type]]) => {
    const hash = manifest[name as keyof typeof manifest]
    const asset = { gzip, br, type, hash }
    return [
      [name, { ...asset, isImmutable: false }],
      [name.replace(/(?=\.\w+$)/, `-${hash}`), { ...asset, isImmutable: true }],
    ]
  }),
)
