/*
 * What shoppers call the kinds of the demo catalogue and of the drawn one, in eight languages. They were written for the measurement, and
 * not taken from the dictionary that it measures.
 */

/** Kinds of the sets that are right for the words of a line. */
type Line = readonly [kinds: string, words: string]

export interface Tongue {
  words: readonly Line[]
  /** `#` stands for the word. */
  templates: readonly string[]
}

const lines = (text: string): Line[] =>
  text
    .trim()
    .split('\n')
    .map((line) => {
      const [kinds = '', words = ''] = line.split(':')
      return [kinds.trim(), words.trim()]
    })

/** The questions of a language. */
export const listPhrases = ({ words, templates }: Tongue): { text: string; kinds: string[] }[] =>
  templates.flatMap((template) =>
    words.flatMap(([kinds, list]) =>
      list.split(',').map((word) => ({
        text: template.replace('#', word.trim()),
        kinds: kinds.split(',').map((kind) => kind.trim()),
      })),
    ),
  )

export const TONGUES: Readonly<Record<string, Tongue>> = {
  en: {
    templates: ['#', 'red #', 'modern # under 50 €'],
    words: lines(`
      mug: mug, mugs, coffee cup
      plate: plate, dinner plates
      vase: vase, flower vase, vases
      bottle: bottle, water bottle, bottles
      lamp: lamp, table lamp, lamps
      chair: chair, chairs, kitchen chair
      table: table, tables, dining table
      sofa: sofa, couch, sofas
      bed: bed, beds
      clock, watch: clock, wall clock
      shirt, t shirt: shirt, shirts
      dress: dress, dresses, summer dress
      trousers: trousers, pants
      skirt: skirt, skirts
      shoe, sneakers, boot: shoes, sneakers, running shoes
      boot, shoe: boots, winter boots
      hat: hat, hats, sun hat
      backpack: backpack, backpacks, school bag
      handbag: handbag, handbags, leather bag
      umbrella: umbrella, umbrellas
      sunglasses: sunglasses, shades for the sun
      guitar: guitar, guitars
      pillow, cushion: pillow, cushion, cushions
      pot: pot, cooking pot
      watch, clock: wrist watch, watches
      t shirt, shirt: t-shirt, t-shirts`),
  },
  de: {
    templates: ['#', '# rot', 'moderne # unter 50 €'],
    words: lines(`
      mug: Tasse, Kaffeebecher, Tassen
      plate: Teller, Essteller
      vase: Vase, Blumenvase, Vasen
      bottle: Flasche, Trinkflasche, Flaschen
      lamp: Lampe, Tischlampe, Leuchten
      chair: Stuhl, Stühle, Küchenstuhl
      table: Tisch, Tische, Esstisch
      sofa: Sofa, Couch, Sofas
      bed: Bett, Betten
      clock, watch: Uhr, Wanduhr
      shirt, t shirt: Hemd, Hemden
      dress: Kleid, Kleider, Sommerkleid
      trousers: Hose, Hosen
      skirt: Damenrock, Röcke
      shoe, sneakers, boot: Schuhe, Turnschuhe, Laufschuhe
      boot, shoe: Stiefel, Winterstiefel
      hat: Hut, Hüte, Sonnenhut
      backpack: Rucksack, Rucksäcke, Schulranzen
      handbag: Handtasche, Handtaschen, Lederhandtasche
      umbrella: Regenschirm, Schirme
      sunglasses: Sonnenbrille, Sonnenbrillen
      guitar: Gitarre, Gitarren
      pillow, cushion: Kissen, Kopfkissen, Sofakissen
      pot: Kochtopf, Topf
      watch, clock: Armbanduhr, Herrenuhr
      t shirt, shirt: T-Shirt, Damenshirt`),
  },
  fr: {
    templates: ['#', '# rouge', '# moderne à moins de 50 €'],
    words: lines(`
      mug: tasse, mug à café, tasses
      plate: assiette, assiettes
      vase: vase, vase à fleurs, vases
      bottle: bouteille, gourde, bouteilles
      lamp: lampe, lampe de table, lampes
      chair: chaise, chaises, chaise de cuisine
      table: table, tables, table à manger
      sofa: canapé, canapés, sofa
      bed: lit, lits double
      clock, watch: horloge, horloge murale
      shirt, t shirt: chemise, chemises
      dress: robe, robes, robe d'été
      trousers: pantalon, pantalons
      skirt: jupe, jupes
      shoe, sneakers, boot: chaussures, baskets, chaussures de course
      boot, shoe: bottes, bottes d'hiver
      hat: chapeau, chapeaux, chapeau de soleil
      backpack: sac à dos, sacs à dos, cartable
      handbag: sac à main, sacs à main, sac en cuir
      umbrella: parapluie, parapluies
      sunglasses: lunettes de soleil, lunette de soleil
      guitar: guitare, guitares
      pillow, cushion: oreiller, coussin, coussins
      pot: casserole, marmite
      watch, clock: montre, montres homme
      t shirt, shirt: t-shirt femme, tee-shirt`),
  },
  es: {
    templates: ['#', '# rojo', '# moderno por menos de 50 €'],
    words: lines(`
      mug: taza, taza de café, tazas
      plate: plato, platos
      vase: jarrón, florero, jarrones
      bottle: botella, botella de agua, botellas
      lamp: lámpara, lámpara de mesa, lámparas
      chair: silla, sillas, silla de cocina
      table: mesa, mesas, mesa de comedor
      sofa: sofá, sofás, sillón sofá
      bed: cama, camas
      clock, watch: reloj, reloj de pared
      shirt, t shirt: camisa, camisas
      dress: vestido, vestidos, vestido de verano
      trousers: pantalón, pantalones
      skirt: falda, faldas
      shoe, sneakers, boot: zapatos, zapatillas, zapatillas de correr
      boot, shoe: botas, botas de invierno
      hat: sombrero, sombreros, sombrero de sol
      backpack: mochila, mochilas, mochila escolar
      handbag: bolso, bolsos, bolso de piel
      umbrella: paraguas, paraguas plegable
      sunglasses: gafas de sol, gafas de sol mujer
      guitar: guitarra, guitarras
      pillow, cushion: almohada, cojín, cojines
      pot: olla, cacerola
      watch, clock: reloj de pulsera, relojes hombre
      t shirt, shirt: camiseta, camisetas`),
  },
  it: {
    templates: ['#', '# rosso', '# moderno sotto i 50 €'],
    words: lines(`
      mug: tazza, tazza da caffè, tazze
      plate: piatto, piatti
      vase: vaso, vaso da fiori, vasi
      bottle: bottiglia, borraccia, bottiglie
      lamp: lampada, lampada da tavolo, lampade
      chair: sedia, sedie, sedia da cucina
      table: tavolo, tavoli, tavolo da pranzo
      sofa: divano, divani, sofà
      bed: letto, letti
      clock, watch: orologio, orologio da parete
      shirt, t shirt: camicia, camicie
      dress: vestito, abito, vestito estivo
      trousers: pantaloni, pantalone
      skirt: gonna, gonne
      shoe, sneakers, boot: scarpe, scarpe da ginnastica, scarpe da corsa
      boot, shoe: stivali, stivali invernali
      hat: cappello, cappelli, cappello da sole
      backpack: zaino, zaini, zaino scuola
      handbag: borsa, borsetta, borsa in pelle
      umbrella: ombrello, ombrelli
      sunglasses: occhiali da sole, occhiali da sole donna
      guitar: chitarra, chitarre
      pillow, cushion: cuscino, cuscini, guanciale
      pot: pentola, pentole
      watch, clock: orologio da polso, orologi uomo
      t shirt, shirt: maglietta, magliette`),
  },
  nl: {
    templates: ['#', 'rode #', 'moderne # onder 50 €'],
    words: lines(`
      mug: mok, koffiekopje, mokken
      plate: bord, dinerborden
      vase: vaas, bloemenvaas, vazen
      bottle: fles, waterfles, flessen
      lamp: lamp, tafellamp, lampen
      chair: stoel, stoelen, keukenstoel
      table: tafel, tafels, eettafel
      sofa: zitbank, bankstel, sofa
      bed: tweepersoonsbed, bedden
      clock, watch: klok, wandklok
      shirt, t shirt: overhemd, overhemden
      dress: jurk, jurken, zomerjurk
      trousers: broek, broeken
      skirt: rok, rokken
      shoe, sneakers, boot: schoenen, sportschoenen, damesschoenen
      boot, shoe: laarzen, winterlaarzen
      hat: hoed, hoeden, zonnehoed
      backpack: rugzak, rugzakken, schooltas
      handbag: handtas, handtassen, leren tas
      umbrella: paraplu, paraplu's
      sunglasses: zonnebril, zonnebrillen
      guitar: gitaar, gitaren
      pillow, cushion: kussen, hoofdkussen, kussens
      pot: kookpan, soeppan
      watch, clock: horloge, horloges
      t shirt, shirt: t-shirt heren, shirtje`),
  },
  pl: {
    templates: ['#', 'czerwony #', 'nowoczesny # do 50 €'],
    words: lines(`
      mug: kubek, kubek do kawy, kubki
      plate: talerz, talerze
      vase: wazon, wazon na kwiaty, wazony
      bottle: butelka, butelka na wodę, butelki
      lamp: lampa, lampka stołowa, lampy
      chair: krzesło, krzesła, krzesło kuchenne
      table: stół, stoły, stolik
      sofa: kanapa, sofa, kanapy
      bed: łóżko, łóżka
      clock, watch: zegar, zegar ścienny
      shirt, t shirt: koszula, koszule
      dress: sukienka, sukienki, letnia sukienka
      trousers: spodnie, spodnie męskie
      skirt: spódnica, spódnice
      shoe, sneakers, boot: buty, trampki, buty do biegania
      boot, shoe: kozaki, buty zimowe
      hat: kapelusz, kapelusze, kapelusz przeciwsłoneczny
      backpack: plecak, plecaki, plecak szkolny
      handbag: torebka, torebki, torebka skórzana
      umbrella: parasol, parasolka
      sunglasses: okulary przeciwsłoneczne, okulary słoneczne
      guitar: gitara, gitary
      pillow, cushion: poduszka, poduszki, poduszka dekoracyjna
      pot: garnek, garnki
      watch, clock: zegarek, zegarki męskie
      t shirt, shirt: koszulka, koszulki`),
  },
  pt: {
    templates: ['#', '# vermelho', '# moderno até 50 €'],
    words: lines(`
      mug: caneca, xícara de café, canecas
      plate: prato, pratos
      vase: vaso, jarra de flores, vasos
      bottle: garrafa, garrafa de água, garrafas
      lamp: candeeiro, luminária de mesa, abajur
      chair: cadeira, cadeiras, cadeira de cozinha
      table: mesa, mesas, mesa de jantar
      sofa: sofá, sofás, sofá cama
      bed: cama, camas
      clock, watch: relógio, relógio de parede
      shirt, t shirt: camisa, camisas
      dress: vestido, vestidos, vestido de verão
      trousers: calças, calça
      skirt: saia, saias
      shoe, sneakers, boot: sapatos, ténis, sapatilhas de corrida
      boot, shoe: botas, botas de inverno
      hat: chapéu, chapéus, chapéu de sol
      backpack: mochila, mochilas, mochila escolar
      handbag: bolsa, mala de mão, bolsa de couro
      umbrella: guarda-chuva, guarda-chuvas
      sunglasses: óculos de sol, óculos de sol feminino
      guitar: guitarra, violão
      pillow, cushion: almofada, travesseiro, almofadas
      pot: panela, tacho
      watch, clock: relógio de pulso, relógios masculinos
      t shirt, shirt: camiseta, t-shirt masculina`),
  },
}
