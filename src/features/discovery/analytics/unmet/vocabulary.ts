const WORDS = `
  shoes, sneakers, boots, sandals, high heels, slippers, dress, skirt, trousers, jeans, shorts, t-shirt,
  shirt, blouse, sweater, hoodie, jacket, coat, suit, swimwear, underwear, socks, hat, cap, scarf, gloves,
  belt, tie, handbag, backpack, suitcase, wallet, watch, necklace, earrings, bracelet, ring, sunglasses,
  glasses, perfume, lipstick, cosmetics, sofa, armchair, chair, stool, table, desk, bed, mattress, wardrobe,
  shelf, cabinet, lamp, mirror, carpet, curtain, cushion, blanket, towel, vase, candle, picture frame, clock,
  plant, flower pot, mug, glass, plate, bowl, bottle, teapot, pan, knife, cutlery, kettle, toaster,
  coffee machine, blender, refrigerator, washing machine, vacuum cleaner, fan, laptop, phone, phone case,
  tablet, headphones, loudspeaker, camera, television, keyboard, computer mouse, cable, charger, printer,
  game console, bicycle, helmet, scooter, skateboard, ball, racket, dumbbell, yoga mat, tent, sleeping bag,
  fishing rod, skis, toy, doll, toy car, puzzle, board game, teddy bear, pram, book, notebook, pen, guitar,
  piano, hammer, drill, screwdriver, ladder, paint, tile, tap, bathtub, sink, toilet, door, garden furniture,
  grill, lawn mower, hose, tyre, car part, dog bed, cat tree, pet food, food, drink, wine, chocolate,
  jewellery box, umbrella, fabric, wallpaper, poster, a person`

/** Words for pictures that no category of a store describes. */
export const PRODUCT_WORDS: readonly string[] = WORDS.split(',').map((word) => word.trim())
