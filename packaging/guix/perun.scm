;; SPDX-License-Identifier: BSD-3-Clause
;; guix build -f packaging/guix/perun.scm, at the top of the source: written from Guix's documentation, not tried there.
(use-modules (guix packages) (guix gexp) (guix build-system gnu) ((guix licenses) #:prefix license:)
             (gnu packages autotools) (gnu packages backup) (gnu packages compression) (gnu packages elf)
             (gnu packages gnunet) (gnu packages ncurses) (gnu packages pcre) (gnu packages pkg-config)
             (gnu packages python) (gnu packages serialization) (gnu packages sqlite) (gnu packages tls)
             (gnu packages version-control) (gnu packages web) (gnu packages xml))

(package
  (name "perun")
  (version "0.9.0")
  (source (local-file "../.." "perun-source" #:recursive? #t))
  (build-system gnu-build-system)
  (arguments
   (list #:tests? #f                    ; ./bootstrap check has what they need
         #:configure-flags #~(list "--enable-vcs-hg")
         #:phases
         #~(modify-phases %standard-phases
             (replace 'bootstrap
               (lambda _ (invoke "autoreconf" "-fi"))))))
  (native-inputs (list autoconf automake libtool pkg-config python))
  (inputs (list curl elfutils expat libarchive libgit2 libltdl libmicrohttpd libyaml ncurses openssl pcre2 sqlite
                zlib `(,zstd "lib")))
  (home-page #f)
  (synopsis "Performance version system")
  (description "Perun keeps performance profiles next to the commits they measure, and says which commit made a
program slower, by how much and where.")
  (license license:bsd-3))
