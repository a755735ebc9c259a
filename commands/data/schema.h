/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables and views that perun export writes and perun query answers from. */
#ifndef PERUN_COMMANDS_DATA_SCHEMA_H
#define PERUN_COMMANDS_DATA_SCHEMA_H

/* In the header of a database: "Peru", and the version of what follows. */
#define DATA_APPLICATION    0x50657275
#define DATA_SCHEMA_VERSION 1

/* Statements that make all tables, indexes and views. */
extern const char data_schema[];
/* The names of the tables, which --csv writes; ends with NULL. */
extern const char *const data_tables[];

#endif
