# SPDX-License-Identifier: BSD-3-Clause
"""A folder for tests that change it: what was changed is put back from the original, not all of it."""
import os
import shutil
import stat
import subprocess


class Folder:
    """A copy of `original` in `folder`."""

    def __init__(self, original, folder):
        self.original, self.folder, self.files = original, folder, {}
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        subprocess.run(["cp", "-a", original, folder], check=True)
        self.note(folder)

    @staticmethod
    def state(path):
        facts = os.lstat(path)
        if stat.S_ISDIR(facts.st_mode):
            return facts.st_mode, facts.st_uid, 0
        return facts.st_mode, facts.st_ino, facts.st_ctime_ns

    def note(self, folder):
        for entry in os.scandir(folder):
            self.files[entry.path] = self.state(entry.path)
            if entry.is_dir(follow_symlinks=False):
                self.note(entry.path)

    @staticmethod
    def remove(path):
        if os.path.islink(path) or not os.path.isdir(path):
            os.unlink(path)
        else:
            subprocess.run(["chmod", "-R", "u+rwx", path], check=False)
            shutil.rmtree(path, ignore_errors=True)

    def copy(self, path):
        """What the original has there; a directory without what is in it."""
        original = os.path.join(self.original, os.path.relpath(path, self.folder))
        facts = os.lstat(original)
        if stat.S_ISDIR(facts.st_mode):
            os.mkdir(path)
            shutil.copystat(original, path)
        else:
            shutil.copy2(original, path, follow_symlinks=False)
        if facts.st_uid != os.geteuid():
            os.lchown(path, facts.st_uid, facts.st_gid)
        self.files[path] = self.state(path)

    def restore(self):
        """Takes away what is new or was changed, and copies that from the original."""
        for folder, folders, names in os.walk(self.folder):
            for name in folders + names:
                path = os.path.join(folder, name)
                try:
                    if self.files.get(path) != self.state(path):
                        self.remove(path)
                except FileNotFoundError:
                    pass  # what a command left running has taken it away
            folders[:] = [name for name in folders if os.path.isdir(os.path.join(folder, name))]
        for path in sorted(self.files):
            if not os.path.lexists(path):
                self.copy(path)
