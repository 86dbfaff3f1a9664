import checkoutGzip from '#generated/docs/checkout.js.gz' with { type: 'file' }
import guideGzip from '#generated/docs/guide.js.gz' with { type: 'file' }
import licencesGzip from '#generated/docs/licences.txt.gz' with { type: 'file' }
import manifest from '#generated/docs/manifest.json'
import pageCssGzip from '#generated/docs/page.css.gz' with { type: 'file' }
import pageGzip from '#generated/docs/page.html.gz' with { type: 'file' }
import previewCssGzip from '#generated/docs/preview.css.gz' with { type: 'file' }
import previewGzip from '#generated/docs/preview.js.gz' with { type: 'file' }
import startGzip from '#generated/docs/start.js.gz' with { type: 'file' }
import tuningGzip from '#generated/docs/swagger-tuning.css.gz' with { type: 'file' }
import styleGzip from '#generated/docs/swagger-ui.css.gz' with { type: 'file' }
import bundleGzip from '#generated/docs/swagger-ui-bundle.js.gz' with { type: 'file' }

/** One file, as the build has made it. Few load these pages, so Brotli would save less than it adds to the executable. */
export interface DocsAsset {
  /** Path of its compressed form. */
  gzip: string
  type: string
  /** Tells this content from every other. */
  hash: string
  /** Whether the name in the URL holds the hash, so that the content never changes. */
  isImmutable: boolean
}

const HTML = 'text/html; charset=utf-8'
const CSS = 'text/css; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'

const FILES: Readonly<Record<keyof typeof manifest, readonly [gzip: string, type: string]>> = {
  'page.html': [pageGzip, HTML],
  'page.css': [pageCssGzip, CSS],
  'start.js': [startGzip, SCRIPT],
  'guide.js': [guideGzip, SCRIPT],
  'checkout.js': [checkoutGzip, SCRIPT],
  'preview.js': [previewGzip, SCRIPT],
  'preview.css': [previewCssGzip, CSS],
  'swagger-tuning.css': [tuningGzip, CSS],
  'swagger-ui-bundle.js': [bundleGzip, SCRIPT],
  'swagger-ui.css': [styleGzip, CSS],
  'licences.txt': [licencesGzip, 'text/plain; charset=utf-8'],
}

/** The files of the API page and of the small pages, by name in the URL: by a plain one, and by one that holds the hash. */
export const docsAssets: Readonly<Record<string, DocsAsset>> = Object.fromEntries(
  Object.entries(FILES).flatMap(([name, [gzip, type]]) => {
    const hash = manifest[name as keyof typeof manifest]
    const asset = { gzip, type, hash }
    return [
      [name, { ...asset, isImmutable: false }],
      [name.replace(/(?=\.\w+$)/, `-${hash}`), { ...asset, isImmutable: true }],
    ]
  }),
)
