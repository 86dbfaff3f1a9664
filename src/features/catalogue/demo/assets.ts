import backpackBlack from './pictures/backpack-black.webp' with { type: 'file' }
import backpackBlue from './pictures/backpack-blue.webp' with { type: 'file' }
import backpackGreen from './pictures/backpack-green.webp' with { type: 'file' }
import chairBlack from './pictures/chair-black.webp' with { type: 'file' }
import chairWhite from './pictures/chair-white.webp' with { type: 'file' }
import chairWooden from './pictures/chair-wooden.webp' with { type: 'file' }
import clockBlack from './pictures/clock-black.webp' with { type: 'file' }
import clockWooden from './pictures/clock-wooden.webp' with { type: 'file' }
import cushionBlueStriped from './pictures/cushion-blue-striped.webp' with { type: 'file' }
import cushionYellow from './pictures/cushion-yellow.webp' with { type: 'file' }
import dressBlue from './pictures/dress-blue.webp' with { type: 'file' }
import dressGreen from './pictures/dress-green.webp' with { type: 'file' }
import dressRedDotted from './pictures/dress-red-dotted.webp' with { type: 'file' }
import handbagBlack from './pictures/handbag-black.webp' with { type: 'file' }
import handbagBrown from './pictures/handbag-brown.webp' with { type: 'file' }
import handbagRed from './pictures/handbag-red.webp' with { type: 'file' }
import lampBlack from './pictures/lamp-black.webp' with { type: 'file' }
import lampYellow from './pictures/lamp-yellow.webp' with { type: 'file' }
import mugBlack from './pictures/mug-black.webp' with { type: 'file' }
import mugBlueStriped from './pictures/mug-blue-striped.webp' with { type: 'file' }
import mugRed from './pictures/mug-red.webp' with { type: 'file' }
import queryBackpack from './pictures/query-backpack.webp' with { type: 'file' }
import queryChair from './pictures/query-chair.webp' with { type: 'file' }
import queryHandbag from './pictures/query-handbag.webp' with { type: 'file' }
import queryMug from './pictures/query-mug.webp' with { type: 'file' }
import queryShirt from './pictures/query-shirt.webp' with { type: 'file' }
import querySneaker from './pictures/query-sneaker.webp' with { type: 'file' }
import shirtBlueStriped from './pictures/shirt-blue-striped.webp' with { type: 'file' }
import shirtRedChecked from './pictures/shirt-red-checked.webp' with { type: 'file' }
import shirtWhite from './pictures/shirt-white.webp' with { type: 'file' }
import sneakersBlue from './pictures/sneakers-blue.webp' with { type: 'file' }
import sneakersRed from './pictures/sneakers-red.webp' with { type: 'file' }
import sneakersWhite from './pictures/sneakers-white.webp' with { type: 'file' }
import sofaBlue from './pictures/sofa-blue.webp' with { type: 'file' }
import sofaGrey from './pictures/sofa-grey.webp' with { type: 'file' }
import sunglassesBlack from './pictures/sunglasses-black.webp' with { type: 'file' }
import sunglassesBrown from './pictures/sunglasses-brown.webp' with { type: 'file' }
import tShirtBlack from './pictures/t-shirt-black.webp' with { type: 'file' }
import tShirtWhite from './pictures/t-shirt-white.webp' with { type: 'file' }
import tShirtYellow from './pictures/t-shirt-yellow.webp' with { type: 'file' }
import umbrellaRed from './pictures/umbrella-red.webp' with { type: 'file' }
import umbrellaYellow from './pictures/umbrella-yellow.webp' with { type: 'file' }
import vaseBlue from './pictures/vase-blue.webp' with { type: 'file' }
import vaseWhite from './pictures/vase-white.webp' with { type: 'file' }
import watchBrown from './pictures/watch-brown.webp' with { type: 'file' }
import watchSilver from './pictures/watch-silver.webp' with { type: 'file' }

/** Path of each demo picture by its name. `scripts/demo/render.ts` draws the files. */
const PICTURES: Readonly<Record<string, string>> = {
  'backpack-black': backpackBlack,
  'backpack-blue': backpackBlue,
  'backpack-green': backpackGreen,
  'chair-black': chairBlack,
  'chair-white': chairWhite,
  'chair-wooden': chairWooden,
  'clock-black': clockBlack,
  'clock-wooden': clockWooden,
  'cushion-blue-striped': cushionBlueStriped,
  'cushion-yellow': cushionYellow,
  'dress-blue': dressBlue,
  'dress-green': dressGreen,
  'dress-red-dotted': dressRedDotted,
  'handbag-black': handbagBlack,
  'handbag-brown': handbagBrown,
  'handbag-red': handbagRed,
  'lamp-black': lampBlack,
  'lamp-yellow': lampYellow,
  'mug-black': mugBlack,
  'mug-blue-striped': mugBlueStriped,
  'mug-red': mugRed,
  'query-backpack': queryBackpack,
  'query-chair': queryChair,
  'query-handbag': queryHandbag,
  'query-mug': queryMug,
  'query-shirt': queryShirt,
  'query-sneaker': querySneaker,
  'shirt-blue-striped': shirtBlueStriped,
  'shirt-red-checked': shirtRedChecked,
  'shirt-white': shirtWhite,
  'sneakers-blue': sneakersBlue,
  'sneakers-red': sneakersRed,
  'sneakers-white': sneakersWhite,
  'sofa-blue': sofaBlue,
  'sofa-grey': sofaGrey,
  'sunglasses-black': sunglassesBlack,
  'sunglasses-brown': sunglassesBrown,
  't-shirt-black': tShirtBlack,
  't-shirt-white': tShirtWhite,
  't-shirt-yellow': tShirtYellow,
  'umbrella-red': umbrellaRed,
  'umbrella-yellow': umbrellaYellow,
  'vase-blue': vaseBlue,
  'vase-white': vaseWhite,
  'watch-brown': watchBrown,
  'watch-silver': watchSilver,
}

/**
 * Reads the encoded picture of a demo product or of a sample query.
 *
 * @throws Error for a name that no demo picture has.
 */
export async function readDemoPicture(name: string): Promise<Uint8Array> {
  const path = Object.hasOwn(PICTURES, name) ? PICTURES[name] : undefined
  if (path === undefined) throw new Error(`There is no demo picture ${name}`)
  return Bun.file(path).bytes()
}
