import checkout from '#generated/docs/checkout.js' with { type: 'file' }
import licences from '#generated/docs/licences.txt' with { type: 'file' }
import mailLink from '#generated/docs/mail-link.js' with { type: 'file' }
import pageCss from '#generated/docs/page.css' with { type: 'file' }
import page from '#generated/docs/page.html' with { type: 'file' }
import start from '#generated/docs/start.js' with { type: 'file' }
import tuning from '#generated/docs/swagger-tuning.css' with { type: 'file' }
import style from '#generated/docs/swagger-ui.css' with { type: 'file' }
import bundle from '#generated/docs/swagger-ui-bundle.js' with { type: 'file' }

/** The files of the API page and of the small pages, by name in the URL. */
export const docsAssets: Readonly<Record<string, { path: string; type: string }>> = {
  'page.html': { path: String(page), type: 'text/html; charset=utf-8' },
  'page.css': { path: pageCss, type: 'text/css; charset=utf-8' },
  'start.js': { path: start, type: 'text/javascript; charset=utf-8' },
  'checkout.js': { path: checkout, type: 'text/javascript; charset=utf-8' },
  'mail-link.js': { path: mailLink, type: 'text/javascript; charset=utf-8' },
  'swagger-tuning.css': { path: tuning, type: 'text/css; charset=utf-8' },
  'swagger-ui-bundle.js': { path: bundle, type: 'text/javascript; charset=utf-8' },
  'swagger-ui.css': { path: style, type: 'text/css; charset=utf-8' },
  'licences.txt': { path: licences, type: 'text/plain; charset=utf-8' },
}
