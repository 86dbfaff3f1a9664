import type { Field, Mapping } from './mapping.ts'

/**
 * Names that people give the columns of their own tables, in English, German, French, Spanish, Italian, Dutch, Polish,
 * Portuguese and some more languages. The first of them that a table has counts first.
 */
const NAMES: Readonly<Partial<Record<Field, string>>> = {
  product_id:
    'product id|id|sku|article|article number|item id|item number|product code|product number|handle|artikelnummer|artikelnr|artikel nr|art nr|artnr|artikel|bestellnummer|produktnummer|produkt id|référence|référence produit|code produit|code article|id produit|ugs|identifiant|referencia|código|código de producto|id producto|codice|codice articolo|codice prodotto|id prodotto|riferimento|productnummer|artikelcode|productcode|bestelnummer|kod produktu|symbol|numer katalogowy|indeks|nr katalogowy|ref|código do produto|id do produto|referência|артикул|код товара|код|varenummer|artikelnummer|tuotenumero|katalogové číslo|katalógové číslo|kód|kod|cikkszám|cod produs|stok kodu|ürün kodu|κωδικός|מקט|رمز المنتج|商品コード|商品编号|商品編號',
  image_url:
    'image url|image|picture|photo|image link|img|img url|picture url|photo url|main image|image src|file|filename|bild|bild url|bilder|bildlink|bildadresse|foto|abbildung|bilddatei|produktbild|photo|image principale|lien image|images|imagen|imágenes|url imagen|enlace imagen|immagine|immagini|url immagine|link immagine|afbeelding|afbeeldingen|afbeelding url|afbeeldingslink|zdjęcie|zdjęcia|obrazek|obrazki|grafika|url zdjęcia|link do zdjęcia|imagem|imagens|url da imagem|link da imagem|изображение|изображения|картинка|фото|ссылка на изображение|billede|billeder|bilde|kuva|kuvat|obrázek|obrázky|obrázok|kép|képek|imagine|imagini|görsel|resim|εικόνα|εικόνες|תמונה|תמונות|صورة|الصور|画像|图片|圖片|이미지',
  additional_image_urls:
    'additional image urls|additional image url|additional image link|additional images|images|more images|weitere bilder|zusatzbilder|zusätzliche bilder|images supplémentaires|autres images|imágenes adicionales|immagini aggiuntive|extra afbeeldingen|dodatkowe zdjęcia|imagens adicionais|дополнительные изображения',
  name: 'name|title|product name|product title|product|item name|bezeichnung|artikelbezeichnung|produktname|artikelname|produktbezeichnung|produkt|titel|nom|nom du produit|désignation|libellé|intitulé|titre|nombre|nombre del producto|título|producto|denominación|nome|nome prodotto|denominazione|titolo|prodotto|naam|productnaam|omschrijving kort|nazwa|nazwa produktu|tytuł|produkt|nome do produto|produto|наименование|название|название товара|имя|товар|navn|varenavn|namn|produktnamn|nimi|tuotenimi|název|názov|meno|név|terméknév|denumire|nume produs|ürün adı|isim|όνομα|שם|שם המוצר|اسم المنتج|الاسم|商品名|名称|名稱|상품명',
  description:
    'description|short description|product description|beschreibung|kurzbeschreibung|artikelbeschreibung|produktbeschreibung|langtext|description courte|descripción|descripción corta|descrizione|descrizione breve|beschrijving|omschrijving|opis|krótki opis|descrição|descrição curta|описание|краткое описание|beskrivelse|beskrivning|kuvaus|popis|leírás|descriere|açıklama|περιγραφή|תיאור|الوصف|説明|描述|설명',
  category:
    'category|product type|type|categories|category path|google product category|kategorie|kategorien|warengruppe|produktkategorie|produkttyp|produktgruppe|rubrik|catégorie|catégories|rayon|type de produit|famille|categoría|categorías|tipo de producto|familia|categoria|categorie|tipo di prodotto|reparto|productgroep|productcategorie|kategoria|kategorie produktu|dział|categorias|tipo de produto|категория|категории|раздел|группа|kategori|kategorier|kategória|osasto|tuoteryhmä|kategorije|κατηγορία|κατηγορίες|קטגוריה|קטגוריות|الفئة|التصنيف|カテゴリ|カテゴリー|分类|分類|카테고리',
  brand:
    'brand|vendor|manufacturer|brands|maker|marke|marken|hersteller|herstellername|marque|marques|fabricant|marca|marcas|fabricante|marchio|produttore|merk|merken|fabrikant|marka|marki|producent|fabricante|бренд|бренды|марка|производитель|mærke|merke|varumärke|märke|tillverkare|merkki|valmistaja|značka|výrobce|výrobca|márka|gyártó|producător|üretici|μάρκα|κατασκευαστής|מותג|العلامة التجارية|ブランド|品牌|브랜드',
  price:
    'price|regular price|list price|retail price|preis|verkaufspreis|vk|vk preis|bruttopreis|preis brutto|einzelpreis|endpreis|normalpreis|regulärer preis|uvp|prix|prix ttc|prix de vente|prix unitaire|tarif|tarif régulier|precio|precio normal|pvp|precio de venta|prezzo|prezzo di listino|prezzo di vendita|prijs|verkoopprijs|reguliere prijs|prijs incl btw|cena|cena brutto|cena regularna|cena detaliczna|preço|preço normal|preço de venda|цена|базовая цена|розничная цена|pris|normalpris|hinta|cena s dph|ár|bruttó ár|preț|pret|fiyat|satış fiyatı|τιμή|מחיר|السعر|価格|价格|價格|가격',
  sale_price:
    'sale price|special price|discounted price|promo price|angebotspreis|aktionspreis|sonderpreis|reduzierter preis|prix promo|prix promotionnel|prix soldé|tarif promo|precio rebajado|precio de oferta|precio oferta|prezzo scontato|prezzo in offerta|prezzo promozionale|actieprijs|aanbiedingsprijs|kortingsprijs|cena promocyjna|preço promocional|preço em promoção|цена со скидкой|акционная цена|tilbudspris|reapris|alennushinta|akční cena|akciová cena|akciós ár|preț redus|indirimli fiyat',
  sale_price_from: 'sale price from|sale from|sale start|angebot ab|angebot von',
  sale_price_until: 'sale price until|sale until|sale end|angebot bis',
  currency: 'currency|währung|devise|moneda|valuta|waluta|moeda|валюта|měna|mena|pénznem|monedă|para birimi',
  color_name:
    'color name|color|colour|farbe|couleur|color principal|colore|kleur|kolor|cor|цвет|farve|farge|färg|väri|barva|farba|szín|culoare|renk|χρώμα|צבע|اللون|カラー|颜色|顏色|색상',
  tags: 'tags|keywords|schlagwörter|schlagworte|stichwörter|mots clés|étiquettes|etiquetas|palabras clave|tag|etichette|parole chiave|trefwoorden|tagi|słowa kluczowe|palavras chave|теги|метки|ключевые слова|štítky|címkék|etichete|etiketler',
  in_stock:
    'in stock|availability|stock|quantity|inventory|qty|stock status|verfügbarkeit|verfügbar|lager|lagerbestand|bestand|vorrätig|auf lager|lieferbar|menge|disponibilité|en stock|quantité|stock disponible|disponibilidad|existencias|cantidad|inventario|disponibilità|giacenza|quantità|disponibile|beschikbaarheid|voorraad|op voorraad|aantal|dostępność|stan|stan magazynowy|ilość|w magazynie|disponibilidade|estoque|quantidade|em estoque|em stock|наличие|в наличии|остаток|количество|запасы|lagerstatus|på lager|i lager|varasto|varastossa|skladem|sklad|na sklade|készlet|raktáron|stoc|stok|απόθεμα|מלאי|المخزون|在庫|库存|庫存|재고',
  variant_group:
    'variant group|item group id|parent|parent sku|group id|parent id|elternartikel|vaterartikel|hauptartikel|artikelgruppe|produit parent|artículo padre|gruppo articolo|groep id',
  sku: 'sku|mpn|artikelnummer|référence|referencia|артикул',
  gtin: 'gtin|ean|ean13|ean 13|ean code|upc|barcode|gtin upc ean or isbn|isbn|strichcode|code barres|código de barras|codice a barre|streepjescode|kod kreskowy|штрихкод|čárový kód|čiarový kód|vonalkód',
  url: 'url|link|product url|product link|product page|permalink|page url|produktseite|produktlink|artikel url|produkt url|lien|lien produit|url produit|enlace|url producto|enlace producto|link prodotto|url prodotto|productlink|product pagina|link do produktu|adres url|link do produto|url do produto|ссылка|ссылка на товар|url товара',
  rating:
    'rating|average rating|bewertung|note moyenne|valoración|valutazione|beoordeling|ocena|avaliação|рейтинг',
}

export const PLAIN_MAPPING: Mapping = Object.fromEntries(
  Object.entries(NAMES).map(([field, names]) => [field, names.split('|')]),
)
