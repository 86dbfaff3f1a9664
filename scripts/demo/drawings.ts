import { bracelet, sunglasses, tortoise, umbrella, wallClock, watch } from './accessories.ts'
import { paper, room, woodenTable } from './backdrops.ts'
import { backpack, handbag } from './bags.ts'
import { checked, dotted, dress, plain, shirt, striped, tShirt } from './clothes.ts'
import { mug, upright, vase } from './crockery.ts'
import { cushion, deskLamp, OAK, shellChair, sofa, spindleChair, tableLamp, WALNUT } from './furniture.ts'
import { cloth, glazed, leather, satin, wood } from './materials.ts'
import { picture, type Shot } from './picture.ts'
import { sneaker } from './shoes.ts'
import { weft } from './weft.ts'

const WORN: Shot = { tilt: 4, turn: -8, on: 'wall', shadow: 0.3, fill: 0.84, grain: 'cloth' }
const BAG: Shot = { tilt: 10, turn: -18, grain: 'leather' }
const PACK: Shot = { tilt: 8, turn: -16, grain: 'cloth' }
const SHOE: Shot = { tilt: 18, turn: -22, fill: 0.84 }
const SEAT: Shot = { tilt: 14, turn: -32, fill: 0.82 }
const CUP: Shot = { tilt: 17, turn: 18, fill: 0.74 }
const WIDE: Shot = { tilt: 12, turn: -18, fill: 0.88, grain: 'cloth' }
const WALL: Shot = { tilt: 3, turn: -10, on: 'wall' }
const EYES: Shot = { tilt: 10, turn: -24, fill: 0.84 }

/** A grey on which white cloth keeps its outline. */
const GREY_PAPER = paper('#c9ced4', '#b9c0c8')

const SNEAKER = { toe: '#dedad1', sole: '#d9d5cb', lace: '#efeeea', lining: '#dcd6ca' }
const TALL_VASE = [
  [0.5, 0],
  [0.55, 0.05],
  [0.9, 0.8],
  [1, 1.5],
  [0.8, 2.2],
  [0.4, 2.8],
  [0.36, 3.1],
  [0.5, 3.4],
] as const
const FLUTED_VASE = [
  [0.45, 0],
  [0.5, 0.05],
  [0.68, 0.6],
  [0.86, 1.3],
  [0.88, 1.9],
  [0.66, 2.5],
  [0.4, 2.9],
  [0.38, 3.15],
  [0.56, 3.5],
] as const

/** Every picture of the demo by its name. Each call draws the picture again, as SVG. */
export const DRAWINGS: Readonly<Record<string, () => string>> = {
  'mug-red': () => picture(mug('#c4161c', '#efe9e0'), CUP),
  'mug-blue-striped': () => picture(mug(upright('#e4e2da', '#1d4aa6', 24), '#e4e2da', { sheen: 0.5 }), CUP),
  'mug-black': () => picture(mug('#1a1a1c', '#d8d3ca', { sheen: 0.5, taper: 0.2, height: 2 }), CUP),
  'shirt-blue-striped': () =>
    picture(shirt(striped('#dfe5ee', '#1f4ea3', 0.17), '#e8e8e8', [2.4, 0.7]), WORN),
  'shirt-red-checked': () => picture(shirt(checked('#b81c22', '#231213', 0.36), '#e8e4dc', [1.5, 1.4]), WORN),
  'shirt-white': () =>
    picture(shirt(plain('#ececeb'), '#a9a9a9', [1.2, 1]), { ...WORN, backdrop: GREY_PAPER }),
  't-shirt-white': () => picture(tShirt(plain('#ececeb'), '#e6e6e5'), WORN),
  't-shirt-black': () => picture(tShirt(plain('#19191b'), '#1d1d20'), WORN),
  't-shirt-yellow': () => picture(tShirt(plain('#e3b512'), '#d9ab10'), WORN),
  'dress-green': () => picture(dress(plain('#17703d'), { belt: '#10502b' }), WORN),
  'dress-red-dotted': () =>
    picture(dress(dotted('#ab121d', '#efe9e0', 0.3, 0.2), { sleeves: true, flare: 1.25 }, [2, 2]), WORN),
  'dress-blue': () =>
    picture(dress(plain('#2250b4'), { flare: 1.4, length: 3, sleeves: true, belt: '#16357c' }), WORN),
  'sneakers-white': () =>
    picture(sneaker({ ...SNEAKER, upper: '#dedcd7', accent: '#2b6b4a', toe: '#d3d0ca' }, 'runner'), SHOE),
  'sneakers-red': () => picture(sneaker({ ...SNEAKER, upper: '#bf161d', accent: '#bf161d' }), SHOE),
  'sneakers-blue': () =>
    picture(sneaker({ ...SNEAKER, upper: '#1f4fae', accent: '#e0dcd2', toe: '#173b85' }, 'runner'), SHOE),
  'backpack-black': () => picture(backpack(cloth('#18181b'), cloth('#242428'), '#b9bcc0'), PACK),
  'backpack-blue': () =>
    picture(backpack(cloth('#2350a8'), cloth('#1a356c'), '#d5d7da', { patch: '#7a4a28' }), PACK),
  'backpack-green': () =>
    picture(backpack(cloth('#4d6b33'), cloth('#3b5228'), '#c9a04e', { patch: '#7a4a28' }), PACK),
  'handbag-brown': () => picture(handbag(leather('#6e3d1d'), '#c9a04e', 'tote', '#c79a62'), BAG),
  'handbag-red': () => picture(handbag(leather('#b3161d'), '#c9a04e', 'flap'), BAG),
  'handbag-black': () => picture(handbag(leather('#151517'), '#c9a04e', 'tote'), BAG),
  'chair-wooden': () => picture(spindleChair(OAK), { tilt: 6, turn: -22, fill: 0.86 }),
  'chair-white': () =>
    picture(
      spindleChair(() => satin('#cfcdc8')),
      SEAT,
    ),
  'chair-black': () => picture(shellChair(satin('#19191b'), OAK), SEAT),
  'sofa-grey': () => picture(sofa(cloth('#74787e'), 3), WIDE),
  'sofa-blue': () => picture(sofa(cloth('#22407f'), 2, OAK(1), { arm: 0.4 }), WIDE),
  'lamp-yellow': () => picture(tableLamp('#e8b92e', glazed('#d5d0c6')), { tilt: 6 }),
  'lamp-black': () => picture(deskLamp('#1a1a1c'), { tilt: 8, turn: 20 }),
  'watch-brown': () =>
    picture(watch(leather('#6b3b1c'), '#d9dadc', '#1a1a1c', '#e8e4da'), { ...WALL, fill: 0.86 }),
  'watch-silver': () =>
    picture(watch(bracelet('#c9ccd0'), '#c9ccd0', '#c9ccd2', '#2a2a2e'), { ...WALL, fill: 0.86 }),
  'sunglasses-black': () => picture(sunglasses(glazed('#131315'), '#202024'), EYES),
  'sunglasses-brown': () => picture(sunglasses(tortoise(), '#4a2f1a', 'round'), EYES),
  'vase-blue': () => picture(vase(TALL_VASE, '#1d4aa6'), { tilt: 12 }),
  'vase-white': () => picture(vase(FLUTED_VASE, '#cfcdc7'), { tilt: 12 }),
  'clock-wooden': () =>
    picture(wallClock(wood('#c68f58', '#8d5a2e', 0), '#e9e7e0', '#26262a', { width: 0.45 }), {
      ...WALL,
      shadow: 0.3,
    }),
  'clock-black': () => picture(wallClock(satin('#161618'), '#e6e6e4', '#161618', { width: 0.35 }), WALL),
  'cushion-yellow': () =>
    picture(cushion(cloth('#dca612'), cloth('#b58412')), { tilt: 4, turn: 12, grain: 'cloth' }),
  'cushion-blue-striped': () =>
    picture(cushion(weft(striped('#dfe3ea', '#234f9f', 0.24)), cloth('#234f9f'), 1.3), {
      tilt: 4,
      turn: 12,
      grain: 'cloth',
    }),
  'umbrella-yellow': () =>
    picture(umbrella(['#f0bd10'], wood('#8a5a30', '#54331a', 1)), { tilt: 4, shadow: 0 }),
  'umbrella-red': () => picture(umbrella(['#bd151c'], satin('#1d1d1f')), { tilt: 4, shadow: 0, turn: 30 }),
  'query-mug': () =>
    picture(mug('#2f7d4a', '#e9e4d8', { belly: 0.28, height: 1.9, taper: 0.1 }), {
      tilt: 24,
      turn: -150,
      fill: 0.6,
      backdrop: woodenTable('#e9e2d6', '#d8cdbb', ['#b98555', '#a9744a', '#b37d4f', '#9c6a42']),
    }),
  'query-shirt': () =>
    picture(shirt(plain('#9dc0e6'), '#e8e4dc', [1.2, 1]), {
      ...WORN,
      turn: 14,
      fill: 0.8,
      shadow: 0.5,
      backdrop: paper('#e6dccf', '#d8cab9'),
    }),
  'query-backpack': () =>
    picture(backpack(cloth('#a81b22'), cloth('#5c1216'), '#b9bcc0', { pocket: cloth('#2a2a2e') }), {
      tilt: 14,
      turn: 28,
      fill: 0.7,
      grain: 'cloth',
      backdrop: room('#cfd8d6', '#bccac7', '#b48a62'),
    }),
  'query-sneaker': () =>
    picture(sneaker({ ...SNEAKER, upper: '#1b1b1e', accent: '#1b1b1e' }), {
      tilt: 26,
      turn: 196,
      fill: 0.72,
      backdrop: woodenTable('#e4e0d8', '#cfc8ba', ['#8f8a82', '#857f77', '#98928a']),
    }),
  'query-chair': () =>
    picture(spindleChair(WALNUT), {
      tilt: 10,
      turn: 28,
      fill: 0.74,
      backdrop: room('#e3d9c6', '#d8ccb5', '#a98259'),
    }),
  'query-handbag': () =>
    picture(handbag(leather('#b98a5a'), '#d3d4d6', 'tote', '#f0e2c8'), {
      tilt: 16,
      turn: 24,
      fill: 0.68,
      grain: 'leather',
      backdrop: woodenTable('#dfe3e6', '#cbd2d6', ['#d2b48c', '#c7a77d', '#d6bb96']),
    }),
}
