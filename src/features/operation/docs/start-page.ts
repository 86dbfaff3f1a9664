import { page } from '../../../http/page.ts'

/** Renders the page at `/` of an installation that nobody owns yet. */
export const renderStartPage = (): string => page('Lookalike is new here', `${NEW}\n    ${PLACES}`)

const NEW = `<h1>Lookalike is running, and nobody owns it yet</h1>
    <p>Open the set-up link that it printed in its terminal: it makes the first account and its store. Lost it? This prints a new one, on the machine where the service runs:</p>
    <pre class="copy"><code>lookalike setup-link</code></pre>
    <p>No browser there? <code>lookalike setup --email you@shop.example --store 'My shop'</code> does the same, and asks for a password. If you started the service with <code>--data-dir</code>, add the same folder here.</p>`

const PLACES = `<ul class="places">
      <li><a href="/docs"><strong>API</strong><span>All calls, to read and to try</span></a></li>
      <li><a href="/docs/guide"><strong>Guide</strong><span>Indexing, searching, the widget, operating</span></a></li>
      <li><a href="/errors"><strong>Errors</strong><span>What each code means, and its cure</span></a></li>
      <li><a href="/health/ready"><strong>Health</strong><span>Database, model and disk, as JSON</span></a></li>
    </ul>`

/** Answers programs at `/`: where to go on. */
export const START = {
  name: 'Lookalike',
  api: '/docs',
  openapi: '/openapi.json',
  guide: '/docs/guide',
  errors: '/errors',
  health: '/health/ready',
  version: '/version',
  licences: '/licences',
}
