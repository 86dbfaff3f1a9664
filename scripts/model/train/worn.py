"""Clothes as a shop shows them on a person: a garment that was photographed flat, cut out and put on a drawn body. Shops show most clothes so, and
no collection of such photographs has clear rights; the body only has to keep a garment from being known by its empty background."""
import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from colours import foreground

SKIN = [(246, 224, 205), (234, 200, 172), (214, 170, 136), (182, 132, 98), (140, 96, 68), (96, 64, 46), (64, 44, 36)]
HAIR = [(30, 24, 22), (60, 40, 28), (110, 74, 44), (176, 136, 84), (214, 184, 130), (120, 120, 122), (140, 60, 34)]
TOPS = {'t-shirt', 'polo shirt', 'shirt', 'long sleeve top', 'hoodie', 'blouse', 'women top', 'undershirt', 'blazer', 'jacket', 'sweatshirt', 'sweater', 'top'}
BOTTOMS = {'trousers', 'shorts', 'skirt', 'jeans'}


def cut_out(a):
    """-> mask of the garment as 0..1, or None where it is not to be told from its ground"""
    m = foreground(a)
    if m is not None:
        m = np.asarray(Image.fromarray((m * 255).astype(np.uint8)).resize(a.shape[1::-1], Image.BILINEAR)) > 127
    else:
        n = a.shape[0]
        g = int(n * 0.04)
        mask = np.zeros(a.shape[:2], np.uint8)
        try:
            cv2.setRNGSeed(1)
            cv2.grabCut(a[..., ::-1].copy(), mask, (g, g, n - 2 * g, n - 2 * g), np.zeros((1, 65)), np.zeros((1, 65)), 3, cv2.GC_INIT_WITH_RECT)
        except cv2.error:
            return None
        m = (mask == cv2.GC_FGD) | (mask == cv2.GC_PR_FGD)
    # the largest piece, with its holes filled
    count, label, stat, _ = cv2.connectedComponentsWithStats(m.astype(np.uint8))
    if count < 2:
        return None
    best = 1 + int(stat[1:, cv2.CC_STAT_AREA].argmax())
    m = (label == best).astype(np.uint8)
    m = cv2.morphologyEx(m, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    n = a.shape[0]
    core = m[int(n * 0.35):int(n * 0.65), int(n * 0.35):int(n * 0.65)].mean()
    if not 0.1 < m.mean() < 0.75 or core < 0.6:
        return None
    return m


def kind_of(types):
    return next((k for k, names in (('top', TOPS), ('bottom', BOTTOMS), ('dress', {'dress'})) if names & set(types)), None)


def on_white(a, m):
    """The garment alone, as on the page of a shop."""
    soft = cv2.GaussianBlur(m * 255, (3, 3), 0)[..., None] / 255
    return (a * soft + 250 * (1 - soft)).astype(np.uint8)


def worn(a, m, types, rng):
    """a uint8 (n,n,3), a garment lying flat; m its mask, of cut_out -> the same on a person"""
    kind = kind_of(types)
    n = a.shape[0]
    ys, xs = np.where(m)
    y0, y1, x0, x1 = ys.min(), ys.max() + 1, xs.min(), xs.max() + 1
    piece = Image.fromarray(np.dstack([a, (cv2.GaussianBlur(m * 255, (3, 3), 0))])[y0:y1, x0:x1].astype(np.uint8), 'RGBA')
    big = 2 * n
    shade = rng.uniform(200, 255) if rng.random() < 0.75 else rng.uniform(90, 200)
    im = Image.new('RGB', (big, big), tuple(int(v) for v in np.clip(shade + rng.uniform(-8, 8, 3), 0, 255)))
    d = ImageDraw.Draw(im)
    skin = SKIN[rng.integers(len(SKIN))]
    hair = HAIR[rng.integers(len(HAIR))]
    other = tuple(int(v) for v in rng.integers(20, 235, 3)) if rng.random() < 0.5 else (40, 44, 60)
    cx = big / 2 + rng.uniform(-0.06, 0.06) * big
    # where the garment is: tops and dresses hang from the shoulders, bottoms from the waist
    width = rng.uniform(0.36, 0.6) * big
    tall = (y1 - y0) / (x1 - x0) * width * rng.uniform(0.95, 1.25)
    top = rng.uniform(0.16, 0.3) * big if kind != 'bottom' else rng.uniform(0.2, 0.5) * big
    tall = min(tall, big * 1.05 - top)
    body = width * (0.3 if kind != 'bottom' else 0.42)          # half a body
    limb = body * 0.3
    round_ = lambda x_, y_, r: d.ellipse([x_ - r, y_ - r, x_ + r, y_ + r], fill=skin)
    line = lambda x_, y_, u, v, w, c: d.line([x_, y_, u, v], fill=c, width=max(2, int(w)))
    if kind in ('top', 'dress'):
        head = body * rng.uniform(0.42, 0.52)
        hy = top - head * 1.05
        if rng.random() < 0.6:
            d.ellipse([cx - head * 1.25, hy - head * 1.4, cx + head * 1.25, hy + head * rng.uniform(0.6, 2.2)], fill=hair)
        d.rectangle([cx - head * 0.45, hy, cx + head * 0.45, top + head * 0.7], fill=skin)
        d.ellipse([cx - head * 0.85, hy - head * 1.15, cx + head * 0.85, hy + head * 0.95], fill=skin)
        d.pieslice([cx - head * 0.9, hy - head * 1.25, cx + head * 0.9, hy + head * 0.5], 180, 360, fill=hair)
        bend = rng.uniform(0.05, 0.5) * body
        for s in (-1, 1):
            line(cx + s * body * 1.05, top + limb, cx + s * (body * 1.2 + bend), top + tall * 0.55, limb, skin)
            line(cx + s * (body * 1.2 + bend), top + tall * 0.55, cx + s * (body * 1.1 + bend * rng.uniform(-0.5, 1)), top + tall * rng.uniform(0.85, 1.1), limb * 0.85, skin)
            leg = other if kind == 'top' else skin
            line(cx + s * body * 0.5, top + tall * 0.8, cx + s * body * rng.uniform(0.45, 0.65), big * 1.2, body * (0.95 if kind == 'top' else 0.5), leg)
    else:
        d.rounded_rectangle([cx - body * 0.95, top - body * 2.6, cx + body * 0.95, top + body * 0.4], body * 0.4, fill=other)
        for s in (-1, 1):
            line(cx + s * body * 1.1, top - body * 2.2, cx + s * body * rng.uniform(1.15, 1.5), top + body * 0.6, limb, skin if rng.random() < 0.6 else other)
            line(cx + s * body * 0.5, top + tall * 0.6, cx + s * body * rng.uniform(0.5, 0.7), big * 1.2, body * 0.45, skin)
            round_(cx + s * body * 1.3, top + body * 0.7, limb * 0.6)
    g = piece.resize((max(8, int(width)), max(8, int(tall))), Image.BICUBIC).rotate(rng.normal(0, 3), Image.BILINEAR, expand=True)
    shadow = Image.new('L', im.size)
    at = (int(cx - g.size[0] / 2), int(top))
    shadow.paste(g.getchannel('A'), (at[0] + int(rng.uniform(-8, 8)), at[1] + 8))
    dark = np.asarray(im, np.float32) * (1 - 0.3 * np.asarray(shadow.filter(ImageFilter.GaussianBlur(9)), np.float32)[..., None] / 255)
    im = Image.fromarray(dark.clip(0, 255).astype(np.uint8))
    im.paste(g, at, g)
    cloth = Image.new('L', im.size)
    cloth.paste(g.getchannel('A'), at)
    cloth = np.asarray(cloth.resize((n, n), Image.LANCZOS), np.float32)[..., None] / 255
    # folds: soft vertical light, as cloth that hangs has it
    f = np.asarray(im.resize((n, n), Image.LANCZOS), np.float32)
    folds = cv2.GaussianBlur(rng.normal(0, 1, (n, n)).astype(np.float32), (0, 0), sigmaX=rng.uniform(5, 10), sigmaY=rng.uniform(14, 30))
    f *= 1 + rng.uniform(0.04, 0.12) * (folds / max(1e-6, folds.std()))[..., None] * cloth
    f += rng.normal(0, rng.uniform(0.5, 3), f.shape)
    # crops as shops make them
    k = rng.uniform(0, 0.12)
    im = Image.fromarray(f.clip(0, 255).astype(np.uint8)).crop((int(n * k * rng.random()), int(n * k * rng.random()), n - int(n * k * rng.random()), n - int(n * k * rng.random()))).resize((n, n), Image.BILINEAR)
    return np.asarray(im.transpose(Image.FLIP_LEFT_RIGHT) if rng.random() < 0.5 else im)
