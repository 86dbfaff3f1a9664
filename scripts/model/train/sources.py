"""Gather what training needs: pictures, words and starting weights, each from a public repository at a fixed commit.

  python sources.py --data DATA --models MODELS [--evaluation] [--mirrors FOLDER] [--only clothing,kenney]

A repository is fetched with git from GitHub, the one commit alone. With --mirrors, `FOLDER/OWNER+NAME/repo` is read
instead where it exists. What each source is and under which licence stands in sources.md. Files that are there stay as they are.
"""
import argparse
import os
import re
import subprocess
import sys

# name: (repository, commit, [(pattern of paths, what the path becomes)])
PICTURES = {
    'clothing': ('alexeygrigorev/clothing-dataset', '7ed86a9cc56763b6acb35e41cb35184e43a5d218',
                 [(r'images\.csv', r'\g<0>'), (r'images/.*', r'\g<0>'), (r'LICENSE', r'\g<0>')]),
    'grocery': ('marcusklasson/GroceryStoreDataset', 'fc80ba90f803d79d0383df52c5a4ac5de99ff6fc',
                [(r'dataset/.*', r'\g<0>'), (r'LICENSE', r'\g<0>')]),
    'caltech101': ('MachineLearning2020/Homework2-Caltech101', '836044dd000296b2bb74d0aa4b4e462e459b01d7',
                   [(r'101_ObjectCategories/.*', r'\g<0>')]),
    'kenney': ('beep2bleep/FreeAssetsByKenneyNLandQuaternius', 'dea756baf3b3a4889d8c245e456a4791f961578a',
               [(r'Kenny NL Assets/Furniture Pack \(1\.0\)/Isometric/(.*\.png)', r'\1'),
                (r'Kenny NL Assets/Furniture Pack \(1\.0\)/(License\.txt)', r'\1')]),
    'market': ('pmndrs/market-assets', 'c9cfa0236a012093edd5affe200808752375bd90',
               [(r'files/models/([^/]*)/(thumbnail\.\w+|info\.json)', r'\1/\2'),
                (r'files/models/([^/]*)/([^/]*)/(thumbnail\.\w+|info\.json)', r'\1-\2/\3')]),
    'emoji': ('googlefonts/noto-emoji', 'b3e3051a088047d19fd4d49b1c3ac42fb8c3aaf8',
              [(r'png/512/(emoji_u[0-9a-f]*\.png)', r'\1'), (r'LICENSE', r'\g<0>')]),
}
# Looked at when a model is finished, and never trained on
EVALUATION = {
    'style-search-ikea': ('IvonaTau/style-search', 'af74b391c20a4d88ca4ed37df2da7145b32786c9', [(r'app/static/images/.*\.jpg', r'\g<0>')]),
    'spree-demo': ('spree/spree', 'cee28a23d9965d3c873955f2a567212450e4b335', [(r'docs/images/demo-images/.*\.webp', r'\g<0>')]),
    'thelia-demo': ('thelia/thelia', '87d276393c262b04757189b73d623bf6f3cf7cee', [(r'core/lib/Thelia/Command/Import/data/.*', r'\g<0>')]),
    'eshop': ('dotnet/eShop', '5624ad564d1602a927879df32a79b94522eb6101', [(r'src/Catalog\.API/(?:Pics|Setup)/.*', r'\g<0>')]),
    'magento-luma': ('magento/magento2-sample-data', '53807565ba9f23c9409268c02bb995cf39ef553d',
                     [(r'pub/media/catalog/product/.*_main\.jpg', r'\g<0>'), (r'app/code/Magento/ConfigurableSampleData/fixtures/products\.csv', r'\g<0>')]),
}
# To watch training and to choose by: one photograph of each of ImageNet's classes
VALIDATION = {
    'imagenet-samples': ('EliSchwartz/imagenet-sample-images', 'bc69043e2862758a1906c6a24a792bb28c6bb2ff', [(r'.*\.JPEG', r'\g<0>')]),
}
MODELS = {
    'backbone': ('google-coral/test_data', '104342d2d3480b3e66203073dac24f4e2dbb4c41',
                 [(r'mobilenet_v2_1\.0_224_quant\.tflite', r'coral-test_data/\g<0>'),
                  (r'imagenet_labels\.txt', r'coral-test_data/\g<0>'), (r'LICENSE', r'coral-test_data/\g<0>')]),
    'wordnet': ('globalwordnet/english-wordnet', 'd94538ad0df3d7a4c77837bde6af69d7a6592c32',
                [(r'src/yaml/(.*\.yaml)', r'english-wordnet/\1'), (r'LICENSE\.md', r'english-wordnet/\g<0>')]),
}


def git(repository, *arguments, **more):
    return subprocess.run(['git', '-C', repository, *arguments], check=True, stdout=subprocess.PIPE, **more).stdout


def find(repository, commit, mirrors, work):
    """-> a git folder that has the commit"""
    if mirrors:
        mirror = os.path.join(mirrors, repository.replace('/', '+'), 'repo')
        for folder in (mirror, os.path.join(mirror, '.git')):
            if os.path.exists(os.path.join(folder, 'HEAD')):
                return folder
    folder = os.path.join(work, repository.replace('/', '+') + '.git')
    if not os.path.exists(folder):
        subprocess.run(['git', 'init', '--quiet', '--bare', folder], check=True)
        git(folder, 'fetch', '--quiet', '--depth', '1', f'https://github.com/{repository}', commit)
    return folder


def files(folder, commit, rules):
    """-> (object, path to write) of every file that a rule takes"""
    for entry in git(folder, 'ls-tree', '-r', '-z', commit).split(b'\0'):
        if not entry:
            continue
        head, path = entry.decode().split('\t', 1)
        for pattern, becomes in rules:
            m = re.fullmatch(pattern, path)
            if m:
                yield head.split()[2], m.expand(becomes)
                break


def write(folder, wanted, out):
    """Writes objects as files. -> how many were written, and how many the repository lacks"""
    todo = [(o, os.path.join(out, p)) for o, p in wanted if not os.path.exists(os.path.join(out, p))]
    missing = 0
    with subprocess.Popen(['git', '-C', folder, 'cat-file', '--batch'], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        for o, path in todo:
            child.stdin.write(o.encode() + b'\n')
            child.stdin.flush()
            head = child.stdout.readline().split()
            if head[-1] == b'missing':
                missing += 1
                continue
            body = child.stdout.read(int(head[2]) + 1)[:-1]
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path + '.part', 'wb') as f:
                f.write(body)
            os.replace(path + '.part', path)
        child.stdin.close()
    return len(todo) - missing, missing


def main():
    ap = argparse.ArgumentParser()
    for x in ('data', 'models'):
        ap.add_argument('--' + x, required=True)
    ap.add_argument('--mirrors')
    ap.add_argument('--only', help='names, with commas')
    ap.add_argument('--evaluation', action='store_true', help='the evaluation sets, too')
    a = ap.parse_args()
    pictures = {**PICTURES, **VALIDATION, **EVALUATION}
    known = {**{n: (s, os.path.join(a.data, n)) for n, s in pictures.items()}, **{n: (s, a.models) for n, s in MODELS.items()}}
    names = a.only.split(',') if a.only else [n for n in known if n not in EVALUATION or a.evaluation]
    if set(names) - set(known):
        sys.exit(f'unknown: {", ".join(sorted(set(names) - set(known)))}; known: {", ".join(known)}')
    work = os.path.join(a.data, '.git')
    for name in names:
        (repository, commit, rules), out = known[name]
        folder = find(repository, commit, a.mirrors, work)
        wrote, missing = write(folder, list(files(folder, commit, rules)), out)
        print(f'{name}: {wrote} files from {repository}' + (f', {missing} missing there' if missing else ''), flush=True)


if __name__ == '__main__':
    main()
