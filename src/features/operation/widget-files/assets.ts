import loader from '#generated/widget/loader.js' with { type: 'file' }
import loaderBrotli from '#generated/widget/loader.js.br' with { type: 'file' }
import loaderGzip from '#generated/widget/loader.js.gz' with { type: 'file' }
import main from '#generated/widget/main.js' with { type: 'file' }
import mainBrotli from '#generated/widget/main.js.br' with { type: 'file' }
import mainGzip from '#generated/widget/main.js.gz' with { type: 'file' }
import manifest from '#generated/widget/manifest.json'

/** One file of the widget, as the build has made it: paths of the plain one and of the compressed ones. */
export interface WidgetFile {
  identity: string
  gzip: string
  br: string
}

/** The file behind the snippet. */
export const widgetLoader: WidgetFile = { identity: loader, gzip: loaderGzip, br: loaderBrotli }

/** The files by the name that holds a hash of their content. */
export const hashedFiles: Readonly<Record<string, WidgetFile>> = {
  [manifest.loader]: widgetLoader,
  [manifest.main]: { identity: main, gzip: mainGzip, br: mainBrotli },
}

export const widgetManifest = manifest
